package awsconf

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func environment(m map[string]string) func(string) string {
	return func(name string) string { return m[name] }
}

func TestLoad(t *testing.T) {
	lambda := map[string]string{
		"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_SESSION_TOKEN": "token",
	}
	t.Run("what a Lambda has is enough", func(t *testing.T) {
		c, err := Load(environment(lambda))
		require.NoError(t, err)
		require.Equal(t, "eu-central-1", c.Region)
		require.Nil(t, c.BaseEndpoint)
		k, err := c.Credentials.Retrieve(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"id", "secret", "token"}, []string{k.AccessKeyID, k.SecretAccessKey, k.SessionToken})
		require.Equal(t, 1, c.Retryer().MaxAttempts(), "whoever writes decides what is tried again")
	})
	t.Run("one address can stand for all services", func(t *testing.T) {
		lambda["AWS_ENDPOINT_URL"] = "http://127.0.0.1:4566"
		c, err := Load(environment(lambda))
		require.NoError(t, err)
		require.Equal(t, "http://127.0.0.1:4566", *c.BaseEndpoint)
	})
	t.Run("what is missing is named, and nothing of what is there", func(t *testing.T) {
		delete(lambda, "AWS_ACCESS_KEY_ID")
		_, err := Load(environment(lambda))
		require.EqualError(t, err, "awsconf: AWS_ACCESS_KEY_ID is not set")
	})
}
