package journeys

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestKilledWhileItSeeds kills first starts at moments from the program's beginning to its first address and a little
// later: the next start goes on, with the whole demo shop.
func TestKilledWhileItSeeds(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	const tries = 20
	for n := range tries {
		cmd := command(t, data)
		require.NoError(t, cmd.Start())
		<-time.After(time.Duration(n) * 10 * time.Millisecond)
		_ = cmd.Process.Kill() // it has not ended by itself: see the start below
		_ = cmd.Wait()
	}
	p := begin(t, command(t, data), data)
	require.Len(t, p.demo().get("/api-engine/customers?itemsPerPage=250").items("items"), 50)
	require.Len(t, p.demo().get("/api-engine/categories").items("items"), 3)
	require.Len(t, p.addon("demo-receiver.token").get("/api-engine/webhooks").items("items"), 1)
	require.Len(t, p.addon("demo-receiver.token").get("/api-engine/webhook-signing-keys").items("items"), 1)
	p.stop(syscall.SIGTERM)
}

func TestAFirstStartThatDiedBeforeItsEndIsMadeUpFor(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for range 3 { // as often as it dies between the key and the receiver
		p := begin(t, command(t, data), data)
		addon := p.addon("demo-receiver.token")
		require.Len(t, addon.get("/api-engine/webhook-signing-keys").items("items"), 1)
		receivers := addon.get("/api-engine/webhooks").items("items")
		require.Len(t, receivers, 1)
		addon.delete("/api-engine/webhooks/" + receivers[0]["id"].(string))
		p.stop(syscall.SIGTERM)
		require.NoError(t, os.Remove(filepath.Join(data, "run.json")))
	}
}
