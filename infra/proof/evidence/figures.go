package main

import (
	"runtime"
	"time"

	"eshop/functions/docs"
)

// figures are those of all that was done.
func (w *work) figures() docs.Evidence {
	figures := docs.Evidence{Commit: w.commit, Tree: w.tree, Cores: runtime.NumCPU(), System: runtime.GOOS,
		Go: runtime.Version(), Hosts: map[string]docs.Simulated{}}
	targets := map[string]bool{}
	for _, piece := range w.done {
		if figures.From.IsZero() || piece.At.Before(figures.From) {
			figures.From = piece.At
		}
		if end := piece.At.Add(time.Duration(piece.Seconds) * time.Second); end.After(figures.To) {
			figures.To = end
		}
		figures.Failed = append(figures.Failed, piece.Failed...)
		switch piece.Kind {
		case ofDays:
			for host, days := range piece.Days {
				h := figures.Hosts[host]
				h.Days += days
				h.Operations += piece.Operations[host]
				h.Kills += piece.Kills[host]
				figures.Hosts[host] = h
			}
			if figures.FirstSeed == 0 || piece.Seed < figures.FirstSeed {
				figures.FirstSeed = piece.Seed
			}
			figures.LastSeed = max(figures.LastSeed, piece.Seed+seeds-1)
		case ofKills:
			if piece.Kills[program] == 0 {
				continue // it did not come to its end
			}
			figures.Program.Minutes += int(proving.Minutes())
			figures.Program.Operations += piece.Operations[program]
			figures.Program.Kills += piece.Kills[program]
			figures.Program.FullDisks++
		case ofFuzz:
			targets[piece.Target] = true
			figures.Fuzz.Minutes += int(fuzzing.Minutes())
			figures.Fuzz.Inputs += piece.Tried
		}
	}
	figures.Fuzz.Targets, figures.Fuzz.Of = len(targets), len(w.targets)
	return figures
}
