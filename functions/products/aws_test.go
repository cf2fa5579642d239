//go:build aws

package products

import (
	"crypto/rand"
	"testing"
	"time"

	"eshop/infra/aws/engines"
)

// onDynamoDB is a shop whose records are in DynamoDB.
func onDynamoDB(t *testing.T) *shopful {
	main := engines.Table(t, engines.ForTest(t, engines.DynamoDB), "products-"+rand.Text(), true)
	main.Timeout = 20 * time.Second // a busy machine is no fault
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
