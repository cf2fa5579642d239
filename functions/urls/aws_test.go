//go:build aws

package urls

import (
	"crypto/rand"
	"testing"
	"time"

	"eshop/infra/aws/engines"
)

func TestADeletionTakesThousandsOfURLsAlongOnDynamoDB(t *testing.T) {
	main := engines.Table(t, engines.ForTest(t, engines.DynamoDB), "urls-"+rand.Text(), true)
	main.Timeout = 20 * time.Second // a busy machine is no fault
	thousandsGo(t, worldOn(t, main))
}
