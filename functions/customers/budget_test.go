package customers

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheBudgetsAreKept holds each operation against the architecture's table; calls and write units count the counter.
func TestTheBudgetsAreKept(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		w.made(fmt.Sprintf("c%d@example.cz", i), "")
	}
	made := w.made("jana@example.cz", whole)
	for _, b := range []struct {
		name, method, path, body string
		key                      string
		calls, series            int
		write                    float64
	}{
		{"read one", "GET", made.path(), "", "", 2, 1, 1},
		{"a page of 50", "GET", path, "", "", 3, 2, 1},
		{"a page of 250, here of 61", "GET", path + "?itemsPerPage=250", "", "", 3, 2, 1},
		{"by e-mail", "GET", path + "?email=c1@example.cz", "", "", 3, 2, 1},
		{"a change", "PATCH", made.path(), `{"phone":"1"}`, "", 3, 2, 4},
		{"a change of nothing", "PATCH", made.path(), `{"phone":"1"}`, "", 2, 1, 1},
		{"a change of a unique field", "PATCH", made.path(), `{"email":"new@example.cz"}`, "", 3, 2, 9},
		{"a creation", "POST", path, `{"email":"p@example.cz","firstName":"J","lastName":"N"}`, "", 2, 2, 6},
		{"a creation with a key", "POST", path, `{"email":"k@example.cz","firstName":"J","lastName":"N"}`, "k", 3, 2, 8},
		{"a deletion", "DELETE", made.path(), "", "", 3, 2, 3},
	} {
		t.Run(b.name, func(t *testing.T) {
			w.gate.arm()
			if b.method == "POST" && b.key == "" {
				w.gate.disarm() // nothing to read beside the charge
			}
			headers := []string{}
			if b.key != "" {
				headers = []string{"Idempotency-Key", b.key}
			}
			r := w.do(b.method, b.path, b.body, headers...)
			require.Less(t, r.Code, 300, r.Body.String())
			_, write := w.meter.Units()
			require.Equal(t, b.calls, w.meter.Calls(), "calls")
			require.Equal(t, b.series, w.meter.Series(), "in series")
			require.InDelta(t, b.write, write, 0, "write units")
		})
	}
}
