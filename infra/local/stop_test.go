package local

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAStopAnswersEachRequestOfABusyClient: whoever goes on asking by connections that he keeps is answered until an
// answer says that it is the last.
func TestAStopAnswersEachRequestOfABusyClient(t *testing.T) {
	settings := empty(t.TempDir())
	settings.Parting = time.Minute // it is over when all are gone
	var log bytes.Buffer
	settings.Log = slog.New(slog.NewTextHandler(&log, nil))
	s, err := Start(t.Context(), settings)
	require.NoError(t, err)
	var clients sync.WaitGroup
	busy := make(chan error, 8)
	for range cap(busy) {
		c, err := net.Dial("tcp", s.listener.Addr().String())
		require.NoError(t, err)
		clients.Go(func() {
			defer c.Close()
			answers := bufio.NewReader(c)
			for n := 0; ; n++ {
				if _, err := io.WriteString(c, "GET /docs HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
					t.Error(err)
					return
				}
				got, err := http.ReadResponse(answers, nil)
				if err == nil {
					_, err = io.Copy(io.Discard, got.Body)
				}
				if n == 0 || err != nil {
					busy <- err
				}
				if err != nil || got.Close {
					return
				}
			}
		})
	}
	for range cap(busy) {
		require.NoError(t, <-busy)
	}
	require.NoError(t, s.Stop())
	clients.Wait()
	require.Contains(t, log.String(), "the requests and attempts that were under way are done")
	select {
	case err := <-busy:
		t.Fatal(err)
	default:
	}
}

func TestAStopEndsWithItsTimeWhateverIsStillToBeWritten(t *testing.T) {
	s := openDemo(t).s
	hangs := make(chan struct{})
	s.counting.Go(t.Context(), func() error { <-hangs; return nil })
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, s.close(ended), context.Canceled)
	close(hangs)
}

// TestAStopWhileTheDemoIsSeededIsNoError runs the platform as a process of its own: it is this test once more.
func TestAStopWhileTheDemoIsSeededIsNoError(t *testing.T) {
	if data := os.Getenv("SEEDED_INTO"); data != "" {
		settings := map[string]string{"DATA": data, "ADDR": "127.0.0.1:0", "DEMO": "1"}
		os.Exit(Main(func(name string) string { return settings[name] }, os.Stdout, os.Stderr))
	}
	data := t.TempDir()
	var errs bytes.Buffer
	platform := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	platform.Env, platform.Stderr = append(os.Environ(), "SEEDED_INTO="+data), &errs
	require.NoError(t, platform.Start())
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(data, "eshop.db.seeding"))
		return err == nil
	}, time.Minute, time.Millisecond)
	require.NoError(t, platform.Process.Signal(syscall.SIGTERM))
	require.NoError(t, platform.Wait(), errs.String())
	require.Empty(t, errs.String())
}
