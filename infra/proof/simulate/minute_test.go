package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// minute is what the page of reliability shows of a minute: a line for each thing that happens, with its time.
type minute struct {
	mu     sync.Mutex
	began  time.Time
	lines  bytes.Buffer
	bodies map[string][sha256.Size]byte // of webhooks, by their ids
	names  []string                     // the ids of webhooks, in the order in which they came
	heard  int                          // calls that were answered 200
}

// tells adds a line.
func (m *minute) tells(format string, values ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.line(format, values...)
}

func (m *minute) line(format string, values ...any) {
	at := time.Since(m.began).Truncate(100 * time.Millisecond)
	fmt.Fprintf(&m.lines, "%4.1f s  %s\n", at.Seconds(), fmt.Sprintf(format, values...))
}

// hear is a receiver: it answers 500 at first, then not at all, and from the sixth second on 200.
func (m *minute) hear(header http.Header, body []byte) (status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, sum := header.Get("X-Webhook-Id"), sha256.Sum256(body)
	answers := "answered 200"
	switch since := time.Since(m.began); {
	case since < time.Second:
		status, answers = 500, "answered 500"
	case since < 6*time.Second:
		status, answers = 0, "no answer"
	default:
		status = 200
		m.heard++
	}
	as := "other bytes"
	if before, came := m.bodies[id]; !came {
		m.names, m.bodies[id], as = append(m.names, id), sum, fmt.Sprint(len(body), " bytes")
	} else if before == sum {
		as = "the same bytes"
	}
	name := 'A' + rune(len(m.names)-1)
	for n, other := range m.names {
		if other == id {
			name = 'A' + rune(n)
		}
	}
	m.line("webhook %c, attempt %s, %s: %s", name, header.Get("X-Webhook-Attempt"), as, answers)
	return status
}

// drawn matches the time of a later attempt, which is drawn: 8 to 12 seconds behind the one before.
var drawn = regexp.MustCompile(`(?m)^ ?\d+\.\d s(  webhook ., attempt 2)`)

// TestAMinute is shown on the page of reliability as it went: two changes are told to a receiver that is down, the
// platform is killed during an attempt, and both arrive.
func TestAMinute(t *testing.T) {
	m := &minute{bodies: map[string][sha256.Size]byte{}}
	within(t, 1, 0, func(t testing.TB) Host { return newProcess(t) }, func(w *Sim) {
		x := w.newShop("customers:read", "customers:write")
		x.partner.registers(w.receives(far(way, m.hear)))
		m.began = time.Now()
		for n := range 2 {
			a := x.partner.ask("POST", customersPath, jana(n))
			m.tells("customer %d is made: answered %d", n+1, a.Status)
			time.Sleep(time.Second)
		}
		time.Sleep(2 * time.Second)
		m.tells("the platform is killed")
		w.kill()
		time.Sleep(2 * time.Second)
		w.begin()
		m.tells("the platform is back")
		time.Sleep(time.Minute)
		m.mu.Lock()
		defer m.mu.Unlock()
		require.Equal(t, 2, m.heard)
		m.lines.WriteString("60.0 s  all is told, and each was answered once\n")
	})
	page, err := os.ReadFile("../../../functions/docs/reliability.md")
	require.NoError(t, err)
	_, shown, _ := strings.Cut(string(page), "```minute\n")
	shown, _, _ = strings.Cut(shown, "```")
	lines := func(text string) []string { return strings.Split(drawn.ReplaceAllString(text, "$1"), "\n") }
	require.ElementsMatch(t, lines(m.lines.String()), lines(shown), "it is to be shown:\n%s", &m.lines)
}
