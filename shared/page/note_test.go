package page

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestANoteIsReadByTheServerAloneAndForTenMinutes(t *testing.T) {
	now := time.Unix(1_795_000_000, 0)
	notes := Notes{Key: bytes.Repeat([]byte{1}, 32), For: "admin of S"}
	value, err := notes.Close(Note{Said: "saved", Secret: map[string]string{"token": "esk_test_x"}},
		bytes.NewReader(make([]byte, 12)), now)
	require.NoError(t, err)
	require.NotContains(t, value, "esk_")
	note := notes.Open(value, now.Add(NoteLife))
	require.Equal(t, "saved", note.Said)
	require.Equal(t, "esk_test_x", note.Secret["token"])
	require.Zero(t, notes.Open(value, now.Add(NoteLife+time.Second)))
	require.Zero(t, Notes{Key: notes.Key, For: "admin of T"}.Open(value, now), "another shop's")
	require.Zero(t, Notes{Key: []byte("another"), For: notes.For}.Open(value, now))
	for i := range value {
		forged := []byte(value)
		forged[i] ^= 1
		require.Zero(t, notes.Open(string(forged), now))
	}
	require.Zero(t, notes.Open("", now))
}
