// Package secrettest proves the promises of secret.Keys on any implementation.
package secrettest

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/secret"
)

// Run holds the keys to every promise. Open returns keys that open what those it returned before have sealed: another
// process, the same master key.
func Run(t *testing.T, open func(t *testing.T) secret.Keys) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t), open(t)) })
	}
}

// cases are what every implementation of secret.Keys promises, each in a sentence.
var cases = []struct {
	name string
	run  func(t *testing.T, k, another secret.Keys)
}{
	{"what is sealed opens, also in another process", opens},
	{"under another name it does not open", bound},
	{"a sealed text that was touched does not open", touched},
	{"no text is a sealed text by chance", chance},
	{"the same text sealed twice looks different and shows nothing", hidden},
	{"many seal and open at once", atOnce},
}

var ctx = context.Background()

func seal(t *testing.T, k secret.Keys, name string, plain []byte) []byte {
	t.Helper()
	sealed, err := k.Seal(ctx, name, plain)
	require.NoError(t, err)
	return sealed
}

func opens(t *testing.T, k, another secret.Keys) {
	for _, plain := range [][]byte{[]byte("s"), {0, 1, 2, 255}, bytes.Repeat([]byte("long"), 5000), {}} {
		for _, name := range []string{"signing-key/01", "", "příliš/žluťoučký kůň"} {
			sealed := seal(t, k, name, plain)
			for _, who := range []secret.Keys{k, another} {
				got, err := who.Open(ctx, name, sealed)
				require.NoError(t, err)
				require.True(t, bytes.Equal(plain, got), "not what was sealed")
			}
		}
	}
}

func bound(t *testing.T, k, another secret.Keys) {
	sealed := seal(t, k, "signing-key/01", []byte("plain"))
	for _, name := range []string{"signing-key/02", "signing-key/0", "signing-key/011", "Signing-key/01", ""} {
		for _, who := range []secret.Keys{k, another} {
			_, err := who.Open(ctx, name, sealed)
			require.ErrorIs(t, err, secret.ErrForged, name)
		}
	}
}

func touched(t *testing.T, keys, another secret.Keys) {
	sealed := seal(t, keys, "n", []byte("plain text"))
	for i := range sealed {
		forged := bytes.Clone(sealed)
		forged[i] ^= 1
		for _, who := range []secret.Keys{keys, another} {
			_, err := who.Open(ctx, "n", forged)
			require.ErrorIs(t, err, secret.ErrForged, "byte %d of %d", i, len(sealed))
		}
	}
	for n := range sealed {
		_, err := keys.Open(ctx, "n", sealed[:n])
		require.ErrorIs(t, err, secret.ErrForged, "cut to %d bytes", n)
	}
	_, err := keys.Open(ctx, "n", append(bytes.Clone(sealed), 0))
	require.ErrorIs(t, err, secret.ErrForged)
}

func chance(t *testing.T, k, _ secret.Keys) {
	for _, s := range []string{"", "x", "plain text that nobody has sealed, of some length, so that it could be one"} {
		_, err := k.Open(ctx, "n", []byte(s))
		require.ErrorIs(t, err, secret.ErrForged)
	}
}

func hidden(t *testing.T, k, _ secret.Keys) {
	plain := []byte("a text that would be seen")
	first, second := seal(t, k, "n", plain), seal(t, k, "n", plain)
	require.NotEqual(t, first, second)
	require.False(t, bytes.Contains(first, plain[:8]))
}

func atOnce(t *testing.T, k, another secret.Keys) {
	var wg sync.WaitGroup
	failed := make(chan error, 64)
	for i := range 64 {
		wg.Go(func() {
			name, plain := fmt.Sprint(i), []byte(fmt.Sprint("plain ", i))
			sealed, err := k.Seal(ctx, name, plain)
			if err == nil {
				var got []byte
				if got, err = another.Open(ctx, name, sealed); err == nil && !bytes.Equal(got, plain) {
					err = fmt.Errorf("%q is not %q", got, plain)
				}
			}
			failed <- err
		})
	}
	wg.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
}
