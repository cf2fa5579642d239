// Command evidence runs what the page of reliability tells figures of, for some hours, and writes down what came: days
// of simulated time on both hosts, kills of the real program, and each fuzz target. It runs the commit that it began
// at, in a work tree of its own, so the repository may be worked in meanwhile. What is done is kept: the next run goes
// on behind it, until it is told to begin anew.
//
// main.go chooses the next piece of work and keeps what became of it; pieces.go has the kinds of pieces; figures.go
// makes the figures of all pieces, which package docs embeds (functions/docs/evidence.json).
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	folder  = ".cache/evidence"              // the work tree, and pieces, a line of JSON for each that is done
	figures = "functions/docs/evidence.json" // what the page embeds
)

func main() {
	log.SetFlags(log.Ltime)
	hours := flag.Float64("hours", 8, "how long to go on; the piece under way is done first")
	anew := flag.Bool("anew", false, "forget what was done, and begin at the commit of now")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, time.Now().Add(time.Duration(*hours*float64(time.Hour))), *anew); err != nil {
		log.Fatal(err)
	}
}

// run does one piece after the other until the end. A piece that is interrupted is not kept.
func run(ctx context.Context, end time.Time, anew bool) error {
	if anew {
		if err := forget(ctx); err != nil {
			return err
		}
	}
	work, err := open(ctx)
	if err != nil {
		return err
	}
	if len(work.done) > 0 {
		if err := work.write(); err != nil {
			return err
		}
	}
	for time.Now().Before(end) {
		piece := work.next()
		log.Println(piece)
		began := time.Now()
		out, err := work.command(ctx, piece)
		if ctx.Err() != nil {
			return errors.New("interrupted: what is done is kept, and the next run goes on")
		}
		piece.reads(out)
		piece.Seconds, piece.At = int(time.Since(began).Seconds()), began.UTC().Truncate(time.Second)
		if err != nil && len(piece.Failed) == 0 {
			piece.Failed = []string{piece.String()}
		}
		for _, failed := range piece.Failed {
			log.Printf("failed: %s\n%s", failed, out)
		}
		if err := work.keep(piece); err != nil {
			return err
		}
	}
	return nil
}

// work is what is run: a commit, and what was done of it so far.
type work struct {
	commit, tree string // hashes: of the commit, and of what it holds, which it keeps when its message is changed
	targets      []string
	done         []*piece
}

// open opens the work that was begun, or begins it at the commit of now.
func open(ctx context.Context) (*work, error) {
	at := filepath.Join(folder, "tree")
	if _, err := os.Stat(at); errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		if _, err := says(ctx, ".", "git", "worktree", "add", "--detach", at, "HEAD"); err != nil {
			return nil, err
		}
	}
	var work work
	for value, of := range map[*string]string{&work.commit: "HEAD", &work.tree: "HEAD^{tree}"} {
		said, err := says(ctx, at, "git", "rev-parse", of)
		if err != nil {
			return nil, err
		}
		*value = said
	}
	targets, err := says(ctx, at, ".ci/fuzz", "list")
	if err != nil {
		return nil, err
	}
	work.targets = strings.Split(targets, "\n")
	kept, err := os.ReadFile(filepath.Join(folder, "pieces"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for line := range strings.Lines(string(kept)) {
		p := &piece{}
		if err := json.Unmarshal([]byte(line), p); err != nil {
			return nil, fmt.Errorf("%s/pieces: %w", folder, err)
		}
		work.done = append(work.done, p)
	}
	return &work, nil
}

// forget takes the work away that was begun.
func forget(ctx context.Context) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	_, err := says(ctx, ".", "git", "worktree", "prune")
	return err
}

// keep writes down a piece that is done, and the figures with it.
func (w *work) keep(piece *piece) error {
	line, err := json.Marshal(piece)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(folder, "pieces"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	w.done = append(w.done, piece)
	return w.write()
}

// write writes the figures of all that is done.
func (w *work) write() error {
	all, err := json.MarshalIndent(w.figures(), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(figures, append(all, '\n'), 0o644)
}

// next is the piece whose kind is furthest from what a night is to bring.
func (w *work) next() *piece {
	have, done := map[string]float64{}, map[string]int{} // by kind
	for _, p := range w.done {
		have[p.Kind] += p.share(len(w.targets))
		done[p.Kind]++
	}
	kinds := []string{ofDays, ofKills, ofFuzz}
	kind := slices.MinFunc(kinds, func(a, b string) int { return cmp.Compare(have[a], have[b]) })
	p := &piece{Kind: kind, Seed: firstSeed + done[kind]*seeds}
	if kind == ofFuzz {
		p.Target = w.targets[done[kind]%len(w.targets)]
	}
	return p
}

// says runs a program and returns what it says, without space around it.
func says(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", cmd, err)
	}
	return strings.TrimSpace(string(out)), nil
}
