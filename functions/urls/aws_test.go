//go:build aws

package urls

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/infra/engines"
	"eshop/shared/store/dynamo"
)

func TestADeletionTakesThousandsOfURLsAlongOnDynamoDB(t *testing.T) {
	main, err := dynamo.Create(t.Context(), engines.ForTest(t, engines.DynamoDB), "urls-"+rand.Text(), true)
	require.NoError(t, err)
	main.Timeout = 20 * time.Second // a busy machine is no fault
	t.Cleanup(func() { require.NoError(t, main.Drop(context.WithoutCancel(t.Context()))) })
	thousandsGo(t, worldOn(t, main))
}
