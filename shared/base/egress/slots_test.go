package egress

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const hook = "https://hooks.example/in"

// fill takes all slots of the host for one tenant; what it returns gives one of them up.
func fill(t *testing.T, c *Client, tenant string) (leave func()) {
	for range slotsPerHost {
		var err error
		var waited bool
		leave, waited, err = c.WaitForSlot(t.Context(), hook, tenant)
		require.NoError(t, err)
		require.False(t, waited)
	}
	return leave
}

func TestAFullHostKeepsACallWaitingUntilItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := local()
		leave := fill(t, c, "a")
		bounded, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		_, _, err := c.WaitForSlot(bounded, "https://HOOKS.example:443/other", "b")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		for _, other := range []string{"http://hooks.example/in", "https://hooks.example:8443/in",
			"https://example/in"} {
			_, waited, err := c.WaitForSlot(t.Context(), other, "b")
			require.NoError(t, err)
			require.False(t, waited, "%s is another host", other)
		}
		time.AfterFunc(time.Minute, leave)
		leave, waited, err := c.WaitForSlot(t.Context(), hook, "b")
		require.NoError(t, err)
		require.True(t, waited)
		leave()
		_, waited, err = c.WaitForSlot(t.Context(), hook, "b")
		require.NoError(t, err)
		require.False(t, waited, "who gave up waiting, and who left, hold nothing")
	})
}

func TestTheNextPlaceIsForWhoHasTheFewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := local()
		leave := fill(t, c, "many")
		var came []string
		wait := func(tenant string) {
			go func() {
				_, _, err := c.WaitForSlot(t.Context(), hook, tenant)
				if err == nil {
					came = append(came, tenant)
				}
			}()
			synctest.Wait()
		}
		for _, tenant := range []string{"many", "b", "b", "c"} {
			wait(tenant)
		}
		for range 4 {
			leave()
			synctest.Wait()
		}
		require.Equal(t, []string{"b", "c", "b", "many"}, came)
	})
}

func TestAHostWithoutCallsIsForgotten(t *testing.T) {
	c := local()
	leave, _, err := c.WaitForSlot(t.Context(), hook, "a")
	require.NoError(t, err)
	leave()
	require.Empty(t, c.slots.at)
}
