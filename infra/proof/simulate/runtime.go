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
// testing/synctest. They are for these tests alone. They change the whole program: no goroutine is interrupted, a
// system call that blocks holds the processor, and Go's own seed is fixed.
var edits = []edit{
	// Sysmon is a thread that takes the processor, by real time, from goroutines that run long or are in a system call.
	{"proc.go", `const haveSysmon = GOARCH != "wasm"`, `const haveSysmon = false`},
	// A goroutine that is made or woken runs next. Within a bubble it is drawn whether it does, or waits for its turn;
	// outside one it waits, so that Go's own goroutines push none of the bubble aside.
	{"proc.go", "\tif !haveSysmon && next {\n", "\tif next && (gp.bubble == nil || gp.bubble.draw()&1 == 0) {\n"},
	// Each 61st turn goes to the queue that processors share. Turns are counted for the goroutines of the collector of
	// garbage, too, of which there are more or less.
	{"proc.go", "\tif pp.schedtick%61 == 0 && !sched.runq.empty() {\n", "\tif false {\n"},
	// A mutex that somebody has waited for during a millisecond of real time is handed on in order. For mutexes it is
	// always the same time: 1, since 0 means that nobody has waited.
	{"sema.go", "func internal_sync_nanotime() int64 {\n\treturn nanotime()",
		"func internal_sync_nanotime() int64 {\n\treturn 1"},
	// All that Go draws within a bubble, for select, maps, timers of one moment and math/rand, comes from one sequence,
	// which begins with the seed.
	{"synctest.go", "\tnow     int64  // current fake time\n",
		"\tnow     int64  // current fake time\n\tdrawn   uint64\n"},
	{"synctest.go", "\tbubble.now = synctestBaseTime\n", `	bubble.now = synctestBaseTime
	for _, digit := range []byte(gogetenv("SEED")) {
		bubble.drawn = 10*bubble.drawn + uint64(digit)
	}
`},
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
	{"time.go", "t.rand = cheaprand()", "t.rand = uint32(rand())"},
	{"select.go", "cheaprandn(uint32(norder + 1))", "randn(uint32(norder + 1))"},
	// What maps hash by, and where memory begins, which is the order of maps whose keys are pointers, is drawn before
	// any bubble: from the same seed each time.
	{"rand.go", "\tglobalRand.state.Init(*seed)\n", "\t*seed = [32]byte{1}\n\tglobalRand.state.Init(*seed)\n"},
}

// writeOverlay writes the edited files of the runtime of this machine's Go to a folder, and returns the file that has
// go build take them.
func writeOverlay(dir string) (path string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "runtime")
	files := map[string]string{}
	for _, e := range edits {
		if files[e.file] == "" {
			b, err := os.ReadFile(filepath.Join(source, e.file))
			if err != nil {
				return "", err
			}
			files[e.file] = string(b)
		}
		if n := strings.Count(files[e.file], e.from); n != 1 {
			return "", fmt.Errorf("%q is %d times in this Go's %s: its runtime wants other edits", e.from, n, e.file)
		}
		files[e.file] = strings.Replace(files[e.file], e.from, e.to, 1)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range files {
		edited := filepath.Join(dir, file+".edited")
		if err := os.WriteFile(edited, []byte(text), 0o600); err != nil {
			return "", err
		}
		overlay.Replace[filepath.Join(source, file)] = edited
	}
	b, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, b, 0o600)
}
