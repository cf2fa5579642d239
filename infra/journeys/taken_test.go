//go:build stack

package journeys

import (
	"cmp"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alone runs one journey of the functions in Lambda in a process of its own, and says whether it came to its end.
func alone(t *testing.T, journey string, env ...string) (bool, string) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0],
		"-test.run=^TestTheLambdaHost$/^"+regexp.QuoteMeta(strings.ReplaceAll(journey, " ", "_"))+"$")
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	return err == nil, string(out)
}

// each does it for all of them, three at once: journeys wait more than they work.
func each(names []string, do func(name string)) {
	var doing sync.WaitGroup
	places := make(chan struct{}, 3)
	for _, name := range names {
		places <- struct{}{}
		doing.Go(func() {
			defer func() { <-places }()
			do(name)
		})
	}
	doing.Wait()
}

// TestWithoutAGrantAJourneyFails takes each grant that a journey uses away from its function, and makes the journeys
// that use it, the quickest first, until one fails.
func TestWithoutAGrantAJourneyFails(t *testing.T) {
	var mu sync.Mutex
	took, users := map[string]time.Duration{}, map[string][]string{}
	folder, names := t.TempDir(), slices.Sorted(maps.Keys(journeys))
	each(names, func(name string) {
		file, began := filepath.Join(folder, strconv.Itoa(slices.Index(names, name))), time.Now()
		passed, said := alone(t, name, usedFile+"="+file)
		assert.True(t, passed, "%s: %s", name, said)
		used, err := os.ReadFile(file)
		assert.NoError(t, err)
		mu.Lock()
		defer mu.Unlock()
		took[name] = time.Since(began)
		for grant := range strings.Lines(string(used)) {
			grant = strings.TrimSpace(grant)
			users[grant] = append(users[grant], name)
		}
	})
	require.NotEmpty(t, users)
	each(slices.Sorted(maps.Keys(users)), func(grant string) {
		slices.SortFunc(users[grant], func(a, b string) int { return cmp.Compare(took[a], took[b]) })
		missed := slices.IndexFunc(users[grant], func(name string) bool {
			passed, _ := alone(t, name, takenAway+"="+grant)
			return !passed
		})
		assert.GreaterOrEqual(t, missed, 0, "%s is missed by none of %q", grant, users[grant])
	})
}
