package secret

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASecretTextIsKnownByItsHash(t *testing.T) {
	text := New(bytes.NewReader(make([]byte, Size)))
	require.Equal(t, strings.Repeat("A", 43), text)
	require.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", Hash("abc")) // FIPS 180-2, B.1
	require.True(t, Matches(text, Hash(text)))
	for _, hash := range []string{"", text, Hash("abc"), strings.ToUpper(Hash(text)), Hash(text) + "0"} {
		require.False(t, Matches(text, hash), hash)
	}
	require.Panics(t, func() { New(strings.NewReader("too few bits")) })
}

// TestAMACIsTheHMACOfItsText goes by RFC 4231, test case 2.
func TestAMACIsTheHMACOfItsText(t *testing.T) {
	require.Equal(t, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
		hex.EncodeToString(MAC([]byte("Jefe"), "what do ya want for nothing?")))
}
