package bearer_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
	"eshop/shared/people/bearer"
	"eshop/shared/record/change"
)

func TestATokenIsRandomAndInItsForm(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		live := bearer.New(rand.Reader, "esk_live_")
		require.Regexp(t, `^esk_live_[0-9A-Za-z]{43}$`, live)
		require.True(t, bearer.WellFormed(live, "esk_test_", "esk_live_"))
		require.False(t, bearer.WellFormed(live, "esk_test_"))
		require.False(t, seen[live])
		seen[live] = true
	}
	require.Equal(t, "esk_test_"+strings.Repeat("0", 43), bearer.New(bytes.NewReader(make([]byte, 32)), "esk_test_"))
	require.Len(t, bearer.New(bytes.NewReader(bytes.Repeat([]byte{255}, 32)), "esk_test_"), 52)
}

// TestAStoreThatDoesNotAnswerIsNoStrangersFault: it is an error, and not that there is no such token.
func TestAStoreThatDoesNotAnswerIsNoStrangersFault(t *testing.T) {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		ctx, stop := context.WithCancel(ctx)
		stop()
		of := bearer.Holders{Prefix: "eop_", Token: "OT#", Holder: "OP#", IDText: "operator"}
		_, err := of.ByToken(ctx, u.Table, bearer.New(rand.Reader, "eop_"))
		require.ErrorIs(t, err, context.Canceled)
		_, _, err = of.Next(ctx, u, "01", "")
		require.ErrorIs(t, err, context.Canceled)
	})
}
