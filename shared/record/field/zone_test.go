package field

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATimeWithoutAZoneIsTheShopsOwn(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-22T14:05": "2026-11-22T13:05:00Z", "2026-07-22T14:05:09": "2026-07-22T12:05:09Z",
		"2026-11-22 14:05": "2026-11-22T13:05:00Z", "2026-11-22T14:05:00Z": "2026-11-22T14:05:00Z",
		"2026-11-22": "2026-11-22", "soon": "soon", "": "",
	} {
		require.Equal(t, want, NormalizeTime(text), text)
	}
}
