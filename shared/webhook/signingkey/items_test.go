package signingkey

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/store"
)

func TestARecordThatCannotBeReadIsUnreadable(t *testing.T) {
	i := &store.Item{Key: store.Key{PK: "p", SK: "K#k"}, Doc: []byte(`{"id":`)}
	for name, read := range map[string]func() error{
		"a key":     func() error { _, err := Decode(i); return err },
		"a key set": func() error { _, err := setOf("owner", i); return err },
	} {
		require.True(t, store.Poisoned(read()), name)
	}
}
