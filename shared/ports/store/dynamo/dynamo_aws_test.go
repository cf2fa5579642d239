//go:build aws

package dynamo_test

import (
	"crypto/rand"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/aws/engines"
	"eshop/shared/ports/store/storetest"
)

// open makes a table of its own.
func open(t *testing.T) storetest.Opened {
	t.Helper()
	cfg, name := engines.ForTest(t, engines.DynamoDB), "store-"+rand.Text()
	table := engines.Table(t, cfg, name, true)
	table.Timeout = 20 * time.Second // a busy machine is no fault
	changes, err := openFeed(t.Context(), cfg, name)
	require.NoError(t, err)
	o := storetest.Opened{Table: table, Feed: changes}
	if os.Getenv("AWS_ENDPOINT_URL") != "" { // DynamoDB Local's indexes are never behind; others' may be
		o.Lag = 10 * time.Second
	}
	return o
}

func TestTable(t *testing.T) { storetest.Run(t, open) }
