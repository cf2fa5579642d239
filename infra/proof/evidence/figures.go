package main

import (
	"runtime"
	"time"

	"eshop/functions/docs"
)

// figures are those of all that was done.
func (w *work) figures() docs.Evidence {
	f := docs.Evidence{Commit: w.commit, Tree: w.tree, Cores: runtime.NumCPU(), System: runtime.GOOS,
		Go: runtime.Version(), Hosts: map[string]docs.Simulated{}}
	targets := map[string]bool{}
	for _, p := range w.done {
		if f.From.IsZero() || p.At.Before(f.From) {
			f.From = p.At
		}
		if end := p.At.Add(time.Duration(p.Seconds) * time.Second); end.After(f.To) {
			f.To = end
		}
		f.Failed = append(f.Failed, p.Failed...)
		switch p.Kind {
		case ofDays:
			for host, days := range p.Days {
				h := f.Hosts[host]
				h.Days += days
				h.Operations += p.Operations[host]
				h.Kills += p.Kills[host]
				f.Hosts[host] = h
			}
			if f.FirstSeed == 0 || p.Seed < f.FirstSeed {
				f.FirstSeed = p.Seed
			}
			f.LastSeed = max(f.LastSeed, p.Seed+seeds-1)
		case ofKills:
			if p.Kills[program] == 0 {
				continue // it did not come to its end
			}
			f.Program.Minutes += int(proving.Minutes())
			f.Program.Operations += p.Operations[program]
			f.Program.Kills += p.Kills[program]
			f.Program.FullDisks++
		case ofFuzz:
			targets[p.Target] = true
			f.Fuzz.Minutes += int(fuzzing.Minutes())
			f.Fuzz.Inputs += p.Tried
		}
	}
	f.Fuzz.Targets, f.Fuzz.Of = len(targets), len(w.targets)
	return f
}
