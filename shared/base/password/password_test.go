package password

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const right = "correct horse battery"

func kept(t *testing.T, password string) string {
	t.Helper()
	k, err := Hash(t.Context(), rand.Reader, password)
	require.NoError(t, err)
	return k
}

func TestAPasswordIsKeptAsItsHash(t *testing.T) {
	one, other := kept(t, right), kept(t, right)
	require.Regexp(t, `^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`, one)
	require.NotEqual(t, one, other, "each has a salt of its own")
	require.NotContains(t, one, right)
}

func TestOnlyTheSamePasswordIsRight(t *testing.T) {
	k := kept(t, right)
	long := kept(t, strings.Repeat("ž", Longest))
	for _, c := range []struct {
		name, kept, password string
		is                   bool
	}{
		{"the same", k, right, true},
		{"another case", k, "Correct horse battery", false},
		{"a beginning", k, right[:20], false},
		{"nothing", k, "", false},
		{"the hash itself", k, k, false},
		{"the longest", long, strings.Repeat("ž", Longest), true},
		{"composed otherwise", kept(t, "kůň žere oves"), "ku\u030an\u030c z\u030cere oves", true},
	} {
		is, err := Check(t.Context(), c.kept, c.password)
		require.NoError(t, err, c.name)
		require.Equal(t, c.is, is, c.name)
	}
}

func TestWithoutAnAccountAHashIsComputedJustTheSame(t *testing.T) {
	for _, password := range []string{right, "", "x"} {
		before := Computed()
		is, err := Check(t.Context(), "", password)
		require.NoError(t, err)
		require.False(t, is)
		require.Equal(t, before+1, Computed())
	}
}

func TestWhatIsLongerThanAnyPasswordIsNotHashed(t *testing.T) {
	before := Computed()
	for _, k := range []string{"", nobodys} {
		is, err := Check(t.Context(), k, strings.Repeat("x", Longest+1))
		require.NoError(t, err)
		require.False(t, is)
	}
	require.Equal(t, before, Computed())
}

func TestWhatHashHasNotMadeIsRefusedAndNotTold(t *testing.T) {
	good := nobodys
	for name, bad := range map[string]string{
		"nothing of ours":     "hunter2hunter2",
		"another function":    strings.Replace(good, "argon2id", "argon2i", 1),
		"another version":     strings.Replace(good, "v=19", "v=16", 1),
		"more memory":         strings.Replace(good, "m=19456", "m=4194304", 1),
		"no passes":           strings.Replace(good, "t=2", "t=0", 1),
		"no threads":          strings.Replace(good, "p=1", "p=0", 1),
		"a negative":          strings.Replace(good, "t=2", "t=-2", 1),
		"a short hash":        good[:len(good)-10],
		"salt in no base64":   strings.Replace(good, "$AAAA", "$A*AA", 1),
		"a part too many":     good + "$",
		"a parameter missing": strings.Replace(good, ",p=1", "", 1),
	} {
		before := Computed()
		_, err := Check(t.Context(), bad, right)
		require.ErrorIs(t, err, errStored, name)
		require.NotContains(t, err.Error(), bad, name)
		require.Equal(t, before, Computed(), name)
	}
}

// TestNoMoreThanTwoAreComputedAtOnce takes the places itself, so nothing needs to be waited for.
func TestNoMoreThanTwoAreComputedAtOnce(t *testing.T) {
	require.Equal(t, 2, cap(slots))
	for range AtOnce {
		slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	refused := make(chan error)
	before := Computed()
	for range 3 {
		go func() { _, err := Hash(ctx, rand.Reader, right); refused <- err }()
	}
	cancel()
	for range 3 {
		require.ErrorIs(t, <-refused, context.Canceled)
	}
	require.Equal(t, before, Computed(), "who does not get a place computes nothing")
	waiting := make(chan error)
	go func() { _, err := Check(t.Context(), "", right); waiting <- err }()
	<-slots
	require.NoError(t, <-waiting, "a place that gets free is the next one's")
	<-slots
	require.Empty(t, slots)
}

func TestWhoIsGoneGetsNoHash(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := Computed()
	k, err := Hash(ctx, rand.Reader, right)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, k)
	require.Equal(t, before, Computed())
}

func BenchmarkHash(b *testing.B) {
	for b.Loop() {
		if _, err := Hash(b.Context(), rand.Reader, right); err != nil {
			b.Fatal(err)
		}
	}
}
