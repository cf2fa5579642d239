package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"eshop/events"
	"eshop/infra/local"
	"eshop/shared/job/imports"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/record/pending"
	"eshop/shared/webhook"
)

func TestAStartOnPoisonedRowsServesAllOthers(t *testing.T) {
	var p *process
	within(t, 1, 0, func(t testing.TB) Host { p = newProcess(t); return p }, func(s *Sim) {
		s.serves()
		s.stop()
		poison(t, filepath.Join(p.data, local.DataFile))
		s.begin()
		time.Sleep(time.Minute)
		s.serves()
	})
}

// unreadable marks the keys of rows whose bytes are made such that no program of ours has written them.
const unreadable = "UNREADABLE"

// poison puts rows that nobody can make anything of into each partition that is walked through: two that are not what
// their owner writes, and one that cannot be read at all.
func poison(t *testing.T, path string) {
	db, err := bolt.Open(path, bolt.Options{})
	require.NoError(t, err)
	put := func(table, pk string, index1, index2 string) {
		for sk, doc := range map[string]string{"TEXT": "not JSON", "EMPTY": "{}", unreadable: ""} {
			i := store.Item{Key: store.Key{PK: pk, SK: sk}, Doc: []byte(doc)}
			if index1 != "" {
				i.Index1 = store.Key{PK: index1, SK: "0" + pk + sk}
			} else {
				i.Index2 = store.Key{PK: index2, SK: "0" + pk + sk}
			}
			_, err := db.Table(table).Write(t.Context(), events.Nothing, store.Put(i))
			require.NoError(t, err)
		}
	}
	for n := range webhook.DueRows.Shards {
		put("pipeline", fmt.Sprint("D#a#", n), webhook.DueRows.Partition(n), "")
		put("pipeline", fmt.Sprint("REPLAY#", n), webhook.DueRows.Partition(n), "")
	}
	for n := range webhook.Releases.Shards {
		put("main", fmt.Sprint("RH#", n), "", webhook.Releases.Partition(n))
	}
	for n := range pending.Jobs.Shards {
		put("main", fmt.Sprint("PEND#", n), "", pending.Jobs.Partition(n))
	}
	put("main", "an import without a shop", "", imports.Jobs.Partition(0))
	require.NoError(t, db.Close())

	file, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, file.Update(func(tx *bbolt.Tx) error {
		for _, items := range []string{"main/items", "pipeline/items"} {
			b, spoilt := tx.Bucket([]byte(items)), 0
			for k, _ := b.Cursor().First(); k != nil; k, _ = b.Cursor().Seek(append(k, 0)) {
				if strings.HasSuffix(string(k), unreadable) {
					require.NoError(t, b.Put(k, []byte{0x7f, 200}))
					spoilt++
				}
			}
			require.NotZero(t, spoilt)
		}
		return nil
	}))
	require.NoError(t, file.Close())
}
