package local

import (
	"testing"

	"github.com/stretchr/testify/require"

	shops "eshop/shared/shop"
)

func TestNamesOfThisMachineLeadToShops(t *testing.T) {
	s := &Server{demo: &demo{item: demoItem{Shop: "DEMO"}}}
	for name, want := range map[string]string{
		"localhost": "DEMO", "01kaj.localhost": "01KAJ", ".localhost": ""} {
		shop, is := s.shopAt(name)
		require.True(t, is, name)
		require.Equal(t, want, shop, name)
	}
	for _, name := range []string{"tea.example", "192.168.0.1", "localhost.example", "10.0.0.1", "127.0.0.1", "::1"} {
		_, is := s.shopAt(name)
		require.False(t, is, name)
	}
	shop, is := (&Server{}).shopAt("localhost")
	require.True(t, is)
	require.Empty(t, shop, "a platform that is seeded has no demo shop yet")
	without := &Server{demo: &demo{}}
	require.True(t, shops.Names{OfHost: without.shopAt}.IsOwn("localhost:8080"), "there is no demo shop")
	require.False(t, shops.Names{OfHost: s.shopAt}.IsOwn("localhost:8080"))
}
