package docs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// evidenceText is what a run wrote (infra/proof/evidence), never anybody by hand.
//
//go:embed evidence.json
var evidenceText []byte

// Evidence is what was run to hold the platform against its promises, and what came of it.
type Evidence struct {
	Commit string `json:"commit"`
	Tree   string `json:"tree"` // what the commit holds, by git's hash: it stays where a commit's message is changed
	Cores  int    `json:"cores"`
	System string `json:"system"`
	Go     string `json:"go"`

	From time.Time `json:"from"`
	To   time.Time `json:"to"`

	FirstSeed int                  `json:"firstSeed"`
	LastSeed  int                  `json:"lastSeed"`
	Hosts     map[string]Simulated `json:"hosts"` // days in simulated time, by the host
	Program   struct {
		Minutes    int `json:"minutes"`
		Operations int `json:"operations"`
		Kills      int `json:"kills"`
		FullDisks  int `json:"fullDisks"`
	} `json:"program"` // the real program in real time
	Fuzz struct {
		Targets int `json:"targets"`
		Of      int `json:"of"`
		Minutes int `json:"minutes"`
		Inputs  int `json:"inputs"`
	} `json:"fuzz"`
	Failed []string `json:"failed,omitempty"` // commands that fail at the commit
}

// Simulated is what was simulated of a host.
type Simulated struct {
	Days       int `json:"days"`
	Operations int `json:"operations"`
	Kills      int `json:"kills"`
}

// evidence is the box of the page, as Markdown.
func evidence() string {
	var evidence Evidence
	if err := json.Unmarshal(evidenceText, &evidence); err != nil {
		panic("docs: " + err.Error()) // the figures are a part of the program
	}
	var b strings.Builder
	const minute = "2006-01-02 15:04"
	fmt.Fprintf(&b, "At commit `%.12s`, from %s to %s, on %d cores (%s, %s):\n\n", evidence.Commit,
		evidence.From.Format(minute), evidence.To.Format(minute), evidence.Cores, evidence.System, evidence.Go)
	b.WriteString("| what was run | how much |\n|---|---|\n")
	for _, host := range []struct{ name, words string }{{"InTheOneProcess", "the one process"},
		{"OnAWS", "all functions in Lambda"}} {
		h := evidence.Hosts[host.name]
		fmt.Fprintf(&b, "| simulated days, %s | %s days (seeds %d to %d), %s operations, %s kills |\n", host.words,
			grouped(h.Days), evidence.FirstSeed, evidence.LastSeed, grouped(h.Operations), grouped(h.Kills))
	}
	fmt.Fprintf(&b, "| the real program under load | %s minutes, %s `kill -9`, %s full disks, %s operations |\n",
		grouped(evidence.Program.Minutes), grouped(evidence.Program.Kills), grouped(evidence.Program.FullDisks),
		grouped(evidence.Program.Operations))
	fmt.Fprintf(&b, "| input of strangers | %d of %d fuzz targets, %s minutes, %s inputs |\n", evidence.Fuzz.Targets,
		evidence.Fuzz.Of, grouped(evidence.Fuzz.Minutes), grouped(evidence.Fuzz.Inputs))
	if len(evidence.Failed) == 0 {
		return b.String() + "\nNothing that was run broke a promise.\n"
	}
	return b.String() + "\nBroken: `" + strings.Join(evidence.Failed, "`, `") + "`.\n"
}

// grouped is a number as people read it: 1,234,567.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
