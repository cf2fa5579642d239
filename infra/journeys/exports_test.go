package journeys

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exported: a file of all customers is made in the background, and whoever has its address fetches it without a token.
func exported(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	var emails []string
	for _, name := range []string{"adam", "eva"} {
		emails = append(emails, name+"@example.com")
		tn.post("/api-engine/customers", fields{"email": name + "@example.com", "firstName": "A", "lastName": "B"})
	}
	id := tn.post("/api-engine/exports", fields{"type": "customers", "format": "csv"}).id()
	var done answer
	eventually(t, 4*patience, func() bool {
		done = tn.get("/api-engine/exports/" + id)
		return done.text("state") == "done"
	})
	require.Equal(t, 2.0, done.fields()["rows"])
	file := tn.fetches(done.text("downloadUrl"))
	require.True(t, strings.HasPrefix(file, "id,email,"), file)
	for _, email := range emails {
		require.Equal(t, 1, strings.Count(file, email))
	}
}

// fetches GETs a file at its address as anybody could, and follows where that leads.
func (tn *tenant) fetches(address string) string {
	tn.t.Helper()
	u, err := url.Parse(address)
	require.NoError(tn.t, err)
	got, err := caller.Get(tn.base + u.RequestURI()) // the platform's own address, where the test reaches it
	require.NoError(tn.t, err)
	defer got.Body.Close()
	file, err := io.ReadAll(got.Body)
	require.NoError(tn.t, err)
	require.Equal(tn.t, http.StatusOK, got.StatusCode, string(file))
	return string(file)
}
