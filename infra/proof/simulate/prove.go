package simulate

import (
	"math/rand/v2"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Prove does with a real program, in real time and under load, what Run does in simulated time. The program is killed
// kills times, and its disk is full between two of the kills. Everything that clients saw is held against the model.
func Prove(t *testing.T, seed uint64, length time.Duration, kills int, host Host) {
	t.Helper()
	s := newSim(t, seed, host)
	s.pace = 1.0 / 100_000 // a pause of three minutes is one of two milliseconds
	s.insists, s.receives = true, s.listen
	s.patience, s.arrival, s.writing = 2*time.Minute, 2*time.Minute, 2*time.Second
	s.run(func(r *rand.Rand) plan { return killing(r, length, kills) })
}

// killing is a plan of kills, and of one full disk between two of them.
func killing(r *rand.Rand, length time.Duration, kills int) plan {
	p := plan{length: length, start: time.Now()}
	each := length / time.Duration(kills)
	for n := range kills {
		at := time.Duration(n)*each + time.Duration(r.Int64N(int64(each/2)))
		if n == kills/2 {
			p.faults = append(p.faults, fault{At: at, Length: each / 4, Kind: fullDisk})
			at += each / 2
		}
		p.faults = append(p.faults, fault{At: at, Kind: crash})
	}
	return p
}

// listen has a receiver listen on this machine.
func (s *Sim) listen(r *receiver) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(s.T, err)
	s.T.Cleanup(func() { l.Close() })
	r.address = l.Addr().String()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.network.serve(r, c)
		}
	}()
	return r.address
}

// Full says whether the disk has no room now.
func (l *Life) Full() bool { return len(l.sim.faults().during(time.Now(), fullDisk)) > 0 }
