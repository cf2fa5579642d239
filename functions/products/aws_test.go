//go:build aws

package products

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/engines"
	"eshop/shared/store/dynamo"
	"eshop/shared/unique"
)

// onDynamoDB is a shop whose records are in DynamoDB.
func onDynamoDB(t *testing.T) *shopful {
	main, err := dynamo.Create(t.Context(), engines.ForTest(t, engines.DynamoDB), "products-"+rand.Text(), true)
	require.NoError(t, err)
	main.Timeout = 20 * time.Second // a busy machine is no fault
	t.Cleanup(func() { require.NoError(t, main.Drop(context.WithoutCancel(t.Context()))) })
	s := open(t)
	s.Main.Table = main
	return s
}

// TestAHundredProductsAreChangedAllOrNoneOnDynamoDB is what the real engine says to the longest transactions there are.
func TestAHundredProductsAreChangedAllOrNoneOnDynamoDB(t *testing.T) {
	for name, l := range larges {
		t.Run(name, func(t *testing.T) { l.doneWhole(onDynamoDB(t), "Idempotency-Key", "k") })
	}
}

func TestABatchThatDiesOnceItIsDecidedIsSeenWholeOnDynamoDB(t *testing.T) {
	s := onDynamoDB(t)
	f := &flaky{Table: s.Main.Table}
	s.Main.Table = f
	l := larges["thirty codes, names and long texts"]
	ids, made := l.made(s)
	want := l.items(made, "X")
	s.deciding(func() { f.set(2, true, false) })
	s.together("basic", want).Is(200)
	f.set(-1, false, false)
	require.True(t, l.seen(s, want))
	require.Len(t, s.all(ProductKey("shop", ids[0]).PK), 3)
	s.rename(ids[0], "Another")
	s.Clock.Pass(unique.Crash + time.Minute)
	s.sweep()
	s.soundButPending(ids)
}
