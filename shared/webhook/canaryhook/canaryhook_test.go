package canaryhook_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/webhook/canaryhook"
)

func TestTheReceiversAddressIsOnePlatforms(t *testing.T) {
	one, other := make([]byte, 32), []byte("the secret of another platform..")
	at := canaryhook.Address("https://api.example", one)
	require.Regexp(t, `^https://api\.example/api-engine/webhooks/canary\?key=[A-Za-z0-9_-]{43}$`, at)
	key := at[len(at)-43:]
	require.True(t, canaryhook.Knows(one, key))
	for _, wrong := range []string{"", key[1:], key + "A"} {
		require.False(t, canaryhook.Knows(one, wrong))
	}
	require.False(t, canaryhook.Knows(other, key))
}
