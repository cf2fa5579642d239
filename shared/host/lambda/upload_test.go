package lambda

import (
	"context"
	"errors"
	"testing"

	aws "github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"
)

func TestUpload(t *testing.T) {
	var keys []string
	run := Upload(func(_ context.Context, key string) error {
		keys = append(keys, key)
		return errors.New("not now")
	})
	_, err := run(t.Context(), event[aws.EventBridgeEvent](t, "s3/put"))
	require.ErrorContains(t, err, "not now", "so that Lambda tries again")
	require.Equal(t, []string{"imports/01KYFXV0000000000000000001/01KYFXV0000000000000000002/file"}, keys)
	_, err = run(t.Context(), aws.EventBridgeEvent{Detail: []byte(`"nothing"`)})
	require.Error(t, err)
}
