package importer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
)

func TestAnIDIsCountedOnceHoweverOftenItsRecordComes(t *testing.T) {
	ids := map[string]map[string]bool{}
	product := func(id string, variants ...string) []events.Record {
		return []events.Record{{Kind: events.Products, ID: id, Did: events.Changed, Variants: variants}}
	}
	require.Equal(t, 3, count(ids, product("p", "a", "b")), "variants are counted, too")
	require.Equal(t, 0, count(ids, product("p", "a")))
	require.Equal(t, 0, count(ids, product("p")))
	require.Equal(t, 1, count(ids, product("p", "b", "c")), "what came before is known still")
	require.Equal(t, 1, count(ids, product("q")))
}
