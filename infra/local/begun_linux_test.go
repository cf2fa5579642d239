package local

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAListenerIsShutWithoutLosingWhoHasBegun(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	for range 5 {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		say(t, c, "a")
	}
	begun := shut(l)
	require.Len(t, begun, 5)
	for _, c := range begun {
		said := make([]byte, 1)
		_, err := c.Read(said)
		require.NoError(t, err)
		require.Equal(t, "a", string(said))
		require.NoError(t, c.Close())
	}
	_, err = net.Dial("tcp", l.Addr().String())
	require.Error(t, err)
	require.Empty(t, shut(l), "it is shut already")
}
