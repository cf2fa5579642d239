package openapi_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions"
	"eshop/functions/docs/openapi"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/record"
)

// Supplier is a record that the list does not have.
type Supplier struct {
	record.Head
	SupplierFields
}

type SupplierFields struct {
	Name string `json:"name" doc:"What people call the supplier" maxLength:"255" example:"Bavlna a.s."`
	Site string `json:"site,omitempty" doc:"The address of the supplier's own pages" maxLength:"255" example:"Brno"`
	Days int    `json:"days,omitempty" doc:"How many days a delivery takes" minimum:"0" example:"3"`
}

// changedLines are how many lines git adds and takes away between two documents, as a review shows them.
func changedLines(t *testing.T, before, after []byte) (added, removed int) {
	t.Helper()
	folder := t.TempDir()
	for name, document := range map[string][]byte{"before.json": before, "after.json": after} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), document, 0o600))
	}
	git := exec.CommandContext(t.Context(), "git", "diff", "--no-index", "--numstat",
		"before.json", "after.json")
	git.Dir = folder
	out, _ := git.Output() // which fails, because the two differ
	numbers := strings.Fields(string(out))
	require.Len(t, numbers[:2], 2, string(out))
	added, err := strconv.Atoi(numbers[0])
	require.NoError(t, err)
	removed, err = strconv.Atoi(numbers[1])
	require.NoError(t, err)
	return added, removed
}

// Suppliers stand in the middle of the list, where most of the document is before and behind them.
func TestANewResourceIsAShortDifference(t *testing.T) {
	grown := api.New(api.Config{})
	for _, f := range functions.List {
		if f.HTTP == nil {
			continue
		}
		if f.Name == "orders" {
			api.AddRecords(grown, api.Records[Supplier, SupplierFields]{
				Kind: &record.Kind[Supplier, SupplierFields]{}, Path: "/api-engine/suppliers", Tag: "Suppliers",
				ID: "Supplier", One: "a supplier", Many: "suppliers",
				NeedsToRead: permission.ReadProducts, NeedsToWrite: permission.WriteProducts})
		}
		f.HTTP(&host.Platform{}, grown)
	}
	added, removed := changedLines(t, openapi.Document(listed(), api.Newest()),
		openapi.Document(grown, api.Newest()))
	t.Logf("five operations on a record of three fields: +%d −%d lines", added, removed)
	require.LessOrEqual(t, added, 300)
	require.LessOrEqual(t, removed, 2)
}
