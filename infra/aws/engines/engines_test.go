//go:build aws

package engines

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEnginesAnswerUntilStopped(t *testing.T) {
	if os.Getenv("AWS_ENDPOINT_URL") != "" {
		t.Log("the engine is somebody else's: nothing to start or stop")
		return
	}
	for _, e := range []Engine{DynamoDB, SQS} {
		t.Run(string(e), func(t *testing.T) {
			r, err := Start(t.Context(), e)
			require.NoError(t, err)
			answer, err := http.Get(*r.Config.BaseEndpoint)
			require.NoError(t, err)
			answer.Body.Close()
			r.Stop()
			_, err = http.Get(*r.Config.BaseEndpoint)
			require.Error(t, err)
		})
	}
}
