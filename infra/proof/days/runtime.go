package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// An edit is a part of Go's runtime that is replaced. It must be there once: another version of Go may want other
// edits.
type edit struct{ file, from, to string }

// edits make a program that has one processor (GOMAXPROCS=1) do the same each time it runs, within the bubble of
// testing/synctest. Outside a bubble nothing but the order of goroutines is another one.
var edits = []edit{
	// Sysmon is a thread that takes the processor from goroutines that run or wait for the system for long, by real
	// time. Go does without it in a browser.
	{"proc.go", `const haveSysmon = GOARCH != "wasm"`, `const haveSysmon = false`},
	// There a goroutine that is woken runs after all others, and otherwise at once. Here it is drawn.
	{"proc.go", "\tif !haveSysmon && next {\n", "\tif next && (gp.bubble == nil || gp.bubble.draw()&1 == 0) {\n"},
	// Every 61st goroutine is taken from the queue of all processors, counted from the start of the program: also those
	// that collect garbage, of which there are more or less. Here the processor's own queue is always first.
	{"proc.go", "\tif pp.schedtick%61 == 0 && !sched.runq.empty() {\n", "\tif false {\n"},
	// A mutex that was waited for during a millisecond of real time is passed on in order. Here none is.
	{"sema.go", "func internal_sync_nanotime() int64 {\n\treturn nanotime()",
		"func internal_sync_nanotime() int64 {\n\treturn 0"},
	// All that Go draws within a bubble, for select, maps, timers of one moment and math/rand, comes from one sequence.
	{"synctest.go", "\tnow     int64  // current fake time\n",
		"\tnow     int64  // current fake time\n\tdrawn   uint64\n"},
	{"synctest.go", "// changegstatus is called when the non-lock", `// draw is the next number of splitmix64.
//
//go:nosplit
func (bubble *synctestBubble) draw() uint64 {
	bubble.drawn += 0x9e3779b97f4a7c15
	z := bubble.drawn
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// changegstatus is called when the non-lock`},
	{"rand.go", "\tmp := getg().m\n\tc := &mp.chacha8\n",
		"\tif b := getg().bubble; b != nil {\n\t\treturn b.draw()\n\t}\n\tmp := getg().m\n\tc := &mp.chacha8\n"},
	{"time.go", "\t\t\tt.rand = cheaprand()\n",
		"\t\t\tif gp := getg().m.curg; gp != nil && gp.bubble != nil {\n" +
			"\t\t\t\tt.rand = uint32(gp.bubble.draw())\n\t\t\t}\n"},
	{"select.go", "\t\tj := cheaprandn(uint32(norder + 1))\n", `		var j uint32
		if b := getg().bubble; b != nil {
			j = uint32(b.draw()>>32) % uint32(norder+1)
		} else {
			j = cheaprandn(uint32(norder + 1))
		}
`},
	// The keys of hashes, by which maps order what was put into them before the bubble, are the same each time.
	{"rand.go", "\tglobalRand.state.Init(*seed)\n", "\t*seed = [32]byte{1}\n\tglobalRand.state.Init(*seed)\n"},
}

// writeOverlay writes the edited files of the runtime of this machine's Go to a folder, and returns the file that has
// go build take them.
func writeOverlay(dir string) (path string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	runtime := filepath.Join(strings.TrimSpace(string(root)), "src", "runtime")
	files := map[string]string{}
	for _, e := range edits {
		if files[e.file] == "" {
			b, err := os.ReadFile(filepath.Join(runtime, e.file))
			if err != nil {
				return "", err
			}
			files[e.file] = string(b)
		}
		if n := strings.Count(files[e.file], e.from); n != 1 {
			return "", fmt.Errorf("this Go has %q %d times in its runtime's %s: days is made for the Go of go.mod",
				e.from, n, e.file)
		}
		files[e.file] = strings.Replace(files[e.file], e.from, e.to, 1)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range files {
		edited := filepath.Join(dir, file+".edited")
		if err := os.WriteFile(edited, []byte(text), 0o600); err != nil {
			return "", err
		}
		overlay.Replace[filepath.Join(runtime, file)] = edited
	}
	b, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, b, 0o600)
}
