package bolt

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/store/storetest"
)

var quiet = slog.New(slog.DiscardHandler)

// opened opens a file whose one table has a feed; it is closed with the test.
func opened(t testing.TB, path string) *DB {
	d, err := Open(path, Options{Feeds: []string{"main"}, Log: quiet})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func TestTable(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Opened { return asked(t, filepath.Join(t.TempDir(), "data")) })
}

func TestTableWithoutFeed(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Opened {
		return storetest.Opened{Table: opened(t, filepath.Join(t.TempDir(), "data")).Table("pipeline")}
	})
}

func asked(t *testing.T, path string) storetest.Opened {
	d := opened(t, path)
	return storetest.Opened{Table: d.Table("main"), Feed: d.Feed("main"), Crash: func(t *testing.T) storetest.Opened {
		return asked(t, copied(t, path))
	}}
}
