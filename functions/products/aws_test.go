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

// What the real engine says to the longest transactions there are.
func TestWhatFitsIntoATransactionIsDoneWholeInOneOnDynamoDB(t *testing.T) {
	for name, r := range rounds {
		t.Run(name, func(t *testing.T) { r.doneWhole(onDynamoDB(t), "Idempotency-Key", "k") })
	}
}

func TestABatchOfSeveralTransactionsDiesAndIsSentAgainOnDynamoDB(t *testing.T) {
	severalDie(onDynamoDB(t))
}

func TestBatchesBesideEachOtherUnderOneKeyAreOneOnDynamoDB(t *testing.T) {
	besideUnderOneKey(onDynamoDB(t))
}
