package docs

import "time"

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
