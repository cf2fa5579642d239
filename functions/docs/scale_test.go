package docs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/bill"
)

// goldenTable holds the rows of the guide's table with these first two lines, or writes them, by "make golden".
func goldenTable(t *testing.T, file, columns, rows string) {
	t.Helper()
	guide, err := os.ReadFile(file)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(guide), columns+"\n")
	require.True(t, found, columns)
	end := strings.Index(rest, "\n\n") + 1
	if strings.HasPrefix(rest, "\n") {
		end = 0 // it has no rows yet
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(head+columns+"\n"+rows+rest[end:]), 0o644))
		return
	}
	require.Equal(t, rows, rest[:end], "the bill has changed: run `make golden`")
}

// thousands is a number with a comma between thousands, as the guide writes it.
func thousands(n float64) string {
	text := fmt.Sprintf("%.0f", n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func TestGoldenScaleIsTheBill(t *testing.T) {
	large := bill.Large()
	require.InDelta(t, 50_000_000, large.Requests+large.Pages, 0)
	var month strings.Builder
	lines := large.Month()
	for _, l := range lines {
		if l.Dollars < 10 {
			continue
		}
		fmt.Fprintf(&month, "| %s | %s | %s | %s |\n", l.Service, l.Part,
			strings.TrimSpace(thousands(l.Amount)+" "+l.Unit), thousands(l.Dollars))
	}
	fmt.Fprintf(&month, "| **sum** | | | **%s** |\n", thousands(bill.Sum(lines)))
	goldenTable(t, "scale.md", "| service | part | amount | US dollars |\n|---|---|--:|--:|", month.String())

	var walls strings.Builder
	for _, w := range large.Walls() {
		fmt.Fprintf(&walls, "| %s, %s | %s | %s | %.0f %% | %s |\n", w.Name, w.Unit, thousands(w.Needs),
			thousands(w.Holds), 100*w.Needs/w.Holds, w.Raise)
	}
	goldenTable(t, "scale.md", "| limit | needs | holds | used | raise by |\n|---|--:|--:|--:|---|", walls.String())
}

func TestGoldenCostsAreTheBill(t *testing.T) {
	var rows strings.Builder
	row := func(what string, dollars ...float64) {
		var each []string
		for _, d := range dollars {
			each = append(each, fmt.Sprintf("%.2f", d))
		}
		fmt.Fprintf(&rows, "| %s | %s |\n", what, strings.Join(each, ", "))
	}
	for _, name := range []string{"GET of a customer", "a list of 50 customers", "PATCH of a customer",
		"POST of a customer", "POST of a product", "POST of an order", "a page of a product", "a checkout"} {
		row(name, bill.Of(name).Dollars())
	}
	row("a change in the feed, in batches of ten and of one", bill.Changed(10).Dollars(), bill.Changed(1).Dollars())
	delivered := func(answers time.Duration) []float64 {
		return []float64{bill.Delivered(10, 100, answers).Dollars(), bill.Delivered(1, 1, answers).Dollars()}
	}
	row("a webhook, answered in 50 ms, in batches of a hundred and of one", delivered(50*time.Millisecond)...)
	row("a webhook, answered in a second", delivered(time.Second)...)
	row("a new customer, product and order in the index of searches", bill.Of("POST of a customer").Indexed.Dollars(),
		bill.Of("POST of a product").Indexed.Dollars(), bill.Of("POST of an order").Indexed.Dollars())
	goldenTable(t, "operations.md", "| a million | US dollars |\n|---|--:|", rows.String())
}
