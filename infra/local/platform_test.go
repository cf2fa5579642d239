package local

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesOfThisMachineLeadToShops(t *testing.T) {
	s := &Server{demo: &demo{item: demoItem{Shop: "DEMO"}}}
	for name, want := range map[string]string{
		"localhost": "DEMO", "127.0.0.1": "DEMO", "127.1.2.3": "DEMO", "::1": "DEMO",
		"01kaj.localhost": "01KAJ", ".localhost": ""} {
		shop, is := s.shopAt(name)
		require.True(t, is, name)
		require.Equal(t, want, shop, name)
	}
	for _, name := range []string{"tea.example", "192.168.0.1", "localhost.example", "10.0.0.1"} {
		_, is := s.shopAt(name)
		require.False(t, is, name)
	}
	shop, is := (&Server{}).shopAt("localhost")
	require.True(t, is)
	require.Empty(t, shop, "a platform that is seeded has no demo shop yet")
}
