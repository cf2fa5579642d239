package customers

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheBudgetsAreKept holds each operation to its budget; its waves are the calls that must come side by side, and
// like the write units they count the counter.
func TestTheBudgetsAreKept(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		w.made(fmt.Sprintf("c%d@example.cz", i), "")
	}
	made := w.made("jana@example.cz", whole)
	for _, b := range []struct {
		name, method, path, body string
		key                      string
		waves                    []int
		write                    float64
	}{
		{"read one", "GET", at(made), "", "", []int{2}, 1},
		{"a page of 50", "GET", path, "", "", []int{2, 1}, 1},
		{"a page of 250, here of 61", "GET", path + "?itemsPerPage=250", "", "", []int{2, 1}, 1},
		{"read one with data", "GET", at(made) + "?data=true", "", "", []int{2, 1}, 1},
		{"a page of 61 with data", "GET", path + "?itemsPerPage=250&data=true", "", "", []int{2, 1, 1}, 1},
		{"data", "GET", at(made) + "/data", "", "", []int{2}, 1},
		{"data that are kept", "PUT", at(made) + "/data", `{"a":1}`, "", []int{2, 1}, 6},
		{"the same data", "PUT", at(made) + "/data", `{"a":1}`, "", []int{2}, 1},
		{"data that are deleted", "DELETE", at(made) + "/data", "", "", []int{2, 1}, 6},
		{"by e-mail", "GET", path + "?email=c1@example.cz", "", "", []int{2, 1}, 1},
		{"a change", "PATCH", at(made), `{"phone":"1"}`, "", []int{2, 1}, 4},
		{"a change of nothing", "PATCH", at(made), `{"phone":"1"}`, "", []int{2}, 1},
		{"a change of a unique field", "PATCH", at(made), `{"email":"new@example.cz"}`, "", []int{2, 1}, 9},
		{"a creation", "POST", path, `{"email":"p@example.cz","firstName":"J","lastName":"N"}`, "", []int{1, 1}, 6},
		{"a creation with a key", "POST", path, `{"email":"k@example.cz","firstName":"J","lastName":"N"}`, "k",
			[]int{2, 1}, 9},
		{"a deletion, with the password", "DELETE", at(made), "", "", []int{2, 1}, 10},
	} {
		t.Run(b.name, func(t *testing.T) {
			headers := []string{}
			if b.key != "" {
				headers = []string{"Idempotency-Key", b.key}
			}
			w.InWaves(b.waves, func() {
				r := w.do(b.method, b.path, b.body, headers...)
				require.Less(t, r.Status, 300, r.Text)
			})
			_, write := w.Meter().Units()
			require.InDelta(t, b.write, write, 0, "write units")
		})
	}
}
