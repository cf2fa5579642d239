package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions/docs"
)

// TestWhatAPieceSaysIsRead: of what the programs say at their ends.
func TestWhatAPieceSaysIsRead(t *testing.T) {
	for _, row := range []struct {
		kind, said, want string
	}{
		{ofDays, "01:02:03 building\n01:02:03 OnAWS: seed 7: 6946 operations, 25 lives, 16 crashes, all that was " +
			"seen: f7e6\n01:02:04 OnAWS: seed 8: 10 operations, 2 lives, 1 crashes, all that was seen: 00\n" +
			"01:02:05 InTheOneProcess: seed 7: failed: exit status 1\n--- FAIL: TestDays\n",
			`{"Kind":"days","Days":{"InTheOneProcess":1,"OnAWS":2},"Operations":{"InTheOneProcess":0,"OnAWS":6956},` +
				`"Kills":{"InTheOneProcess":0,"OnAWS":17},"Failed":["make simulate SEED=7 HOST=InTheOneProcess"]}`},
		{ofKills, "    simulate_test.go:168: seed 20000: 33454 operations, 31 lives, 30 crashes, all that was seen: " +
			"0\n",
			`{"Kind":"kills","Operations":{"TheProgram":33454},"Kills":{"TheProgram":30}}`},
		{ofFuzz, "fuzz: elapsed: 3s, execs: 10 (3/sec)\nfuzz: elapsed: 1m0s, execs: 123456 (9/sec), new\nPASS\n",
			`{"Kind":"fuzz","Tried":123456}`},
	} {
		p := piece{Kind: row.kind}
		p.reads(row.said)
		have, err := json.Marshal(struct {
			Kind                    string
			Days, Operations, Kills map[string]int `json:",omitempty"`
			Tried                   int            `json:",omitempty"`
			Failed                  []string       `json:",omitempty"`
		}{p.Kind, p.Days, p.Operations, p.Kills, p.Tried, p.Failed})
		require.NoError(t, err)
		require.JSONEq(t, row.want, string(have))
	}
}

// TestANightHasItsShareOfEachKind, in whatever order pieces are done, and seeds are taken once.
func TestANightHasItsShareOfEachKind(t *testing.T) {
	w := &work{targets: []string{"./a FuzzA", "./b FuzzB"}}
	have, taken := map[string]int{}, map[string]bool{}
	for range 60 {
		p := w.next()
		require.False(t, p.Kind != ofFuzz && taken[p.String()], p)
		taken[p.String()] = true
		have[p.Kind]++
		w.done = append(w.done, p)
	}
	require.True(t, taken["go test -run '^$' -fuzz '^FuzzB$' -fuzztime 1m0s ./b"])
	for kind, each := range map[string]float64{ofDays: 2 * seeds / float64(nightDays),
		ofKills: float64(proving) / float64(nightProof), ofFuzz: 0.5} {
		nights := 60.0 / (nightDays/(2.0*seeds) + float64(nightProof/proving) + 2)
		require.InDelta(t, nights, float64(have[kind])*each, 0.6, kind)
	}
}

// TestTheFiguresAreOfAllPieces.
func TestTheFiguresAreOfAllPieces(t *testing.T) {
	at := time.Date(2026, 11, 30, 1, 0, 0, 0, time.UTC)
	w := &work{commit: "c", tree: "t", targets: []string{"./a FuzzA", "./b FuzzB"}, done: []*piece{
		{Kind: ofDays, Seed: firstSeed, At: at, Seconds: 60, Days: map[string]int{"OnAWS": 4},
			Operations: map[string]int{"OnAWS": 9}, Kills: map[string]int{"OnAWS": 2},
			Failed: []string{"make simulate SEED=1"}},
		{Kind: ofKills, Seed: firstSeed, At: at.Add(time.Hour), Seconds: 240, Operations: map[string]int{program: 5},
			Kills: map[string]int{program: 30}},
		{Kind: ofFuzz, Target: "./a FuzzA", At: at.Add(-time.Hour), Seconds: 61, Tried: 7},
	}}
	f := w.figures()
	require.Equal(t, []any{"c", "t", at.Add(-time.Hour), at.Add(time.Hour + 4*time.Minute)},
		[]any{f.Commit, f.Tree, f.From, f.To})
	require.Equal(t, docs.Simulated{Days: 4, Operations: 9, Kills: 2}, f.Hosts["OnAWS"])
	require.Equal(t, []int{firstSeed, firstSeed + seeds - 1, 4, 5, 30, 1, 1, 2, 7}, []int{f.FirstSeed, f.LastSeed,
		f.Program.Minutes, f.Program.Operations, f.Program.Kills, f.Program.FullDisks, f.Fuzz.Targets, f.Fuzz.Of,
		f.Fuzz.Inputs})
	require.Equal(t, []string{"make simulate SEED=1"}, f.Failed)
}
