package api_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// held is a body that comes by and by, and how much more room than for what had come it was ever given.
type held struct {
	left, came, spare int
}

func (h *held) Read(p []byte) (int, error) {
	h.spare = max(h.spare, len(p)-h.came)
	if h.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, strings.Repeat(" ", min(h.left, 700)))
	h.left, h.came = h.left-n, h.came+n
	return n, nil
}

func TestABodyTakesTheRoomOfWhatHasComeNotOfWhatWasDeclared(t *testing.T) {
	w := open(t)
	for _, declared := range []int64{-1, 1, 100_000, 1 << 20} {
		for _, came := range []int{0, 1, 50_000, 1<<20 - 1} {
			body := &held{left: came}
			r := httptest.NewRequest("POST", notes, body)
			r.ContentLength = declared
			r.Header.Set("Authorization", "Bearer good")
			r.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			w.api.ServeHTTP(answer, r)
			require.Equal(t, 400, answer.Code)
			require.Contains(t, answer.Body.String(), "malformed_json")
			require.LessOrEqual(t, body.spare, 8<<10, "declared %d, came %d", declared, came)
		}
	}
}
