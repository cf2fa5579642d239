//go:build aws

package orders

import (
	"crypto/rand"
	"testing"
	"time"

	"eshop/infra/aws/engines"
)

// onDynamoDB is a world whose records are in DynamoDB.
func onDynamoDB(t *testing.T) *world {
	main := engines.Table(t, engines.ForTest(t, engines.DynamoDB), "orders-"+rand.Text(), true)
	main.Timeout = 20 * time.Second // a busy machine is no fault
	return worldOn(t, main)
}

func TestAFlashSaleSellsExactlyItsStockOnDynamoDB(t *testing.T) { flashSale(t, onDynamoDB(t)) }

func TestALimitOfACouponHoldsUnderParallelOrdersOnDynamoDB(t *testing.T) { limited(t, onDynamoDB(t)) }

// TestOnDynamoDB is what an order goes through, on the real engine: its largest transaction, its states, its lists.
func TestOnDynamoDB(t *testing.T) {
	t.Run("the largest order", func(t *testing.T) { largest(t, onDynamoDB(t)) })
	t.Run("a product with 500 variants", func(t *testing.T) { fiveHundred(t, onDynamoDB(t)) })
	t.Run("stock is put back once", func(t *testing.T) { putBackOnce(t, onDynamoDB(t)) })
	t.Run("lists", func(t *testing.T) { found(t, onDynamoDB(t)) })
	t.Run("the last state", func(t *testing.T) { lastOfAHundred(t, onDynamoDB(t)) })
}
