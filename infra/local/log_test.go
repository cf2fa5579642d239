package local

import (
	"bytes"
	"log"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStrangersWordsAreNotInTheLog(t *testing.T) {
	was, writer, flags := slog.Default(), log.Writer(), log.Flags()
	t.Cleanup(func() { slog.SetDefault(was); log.SetOutput(writer); log.SetFlags(flags) })
	var out bytes.Buffer
	logTo(slog.New(&consoleHandler{w: &out, quiet: &atomic.Bool{}}))
	_ = (&http.Cookie{Name: "a", Value: "b", Domain: "a stranger's words"}).String() // net/http complains of it, and repeats it
	slog.Warn("ours")
	require.Regexp(t, `^\S+ warn: net/http had something to say of a connection from=cookie\.go:\d+ leftOut=0\n\S+ warn: ours\n$`, out.String())
}
