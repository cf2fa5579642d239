package hosttest

import (
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// Clock is a world's: it moves by itself only where the setup says so. It is for concurrent use.
type Clock struct {
	mu   sync.Mutex
	now  time.Time
	step time.Duration
}

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(c.step)
	return c.now
}

// Pass moves the clock on.
func (c *Clock) Pass(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.now = c.now.Add(d) }

// dice is randomness that is the same in each run of a test, for any number of goroutines.
type dice struct {
	mu     sync.Mutex
	random *rand.ChaCha8
}

// Random is randomness that is the same in each run, for concurrent use.
func Random() io.Reader { return &dice{random: rand.NewChaCha8([32]byte{1})} }

// RandomOf is Random, another one for each name.
func RandomOf(name string) io.Reader {
	return &dice{random: rand.NewChaCha8(sha256.Sum256([]byte(name)))}
}

func (d *dice) Read(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.random.Read(b)
}
