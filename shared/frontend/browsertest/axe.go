package browsertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"github.com/chromedp/cdproto/emulation"
)

// axe is the script of axe-core, which finds what hinders people who use a page with a reader, a keyboard or poor
// sight; "" where it is not installed.
var axe = sync.OnceValue(func() string {
	const at = "shared/frontend/node_modules/axe-core/axe.min.js"
	folder, err := os.Getwd() // a test's is that of its package
	for err == nil {
		if script, err := os.ReadFile(filepath.Join(folder, at)); err == nil {
			return string(script)
		}
		if folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	return ""
})

// Violations are what axe-core finds wrong with the page, a line for each rule, by these rules alone where some are
// named. Where axe-core is not installed there are none, and the log says so, unless TOOLS=required is set.
func (p *Tab) Violations(rules ...string) []string {
	p.t.Helper()
	if axe() == "" {
		const missing = "there is no axe-core here: `make tools` installs it where there is npm"
		if os.Getenv("TOOLS") == "required" {
			p.t.Fatal(missing)
		}
		p.t.Log(missing)
		return nil
	}
	p.Run(`if (!window.axe) ` + "{" + axe() + "\n}")
	only, err := json.Marshal(map[string]any{"resultTypes": []string{"violations"}, "runOnly": rules})
	if len(rules) == 0 {
		only, err = []byte(`{"resultTypes": ["violations"]}`), nil
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return Eval[[]string](p, `axe.run(`+string(only)+`).then((found) => found.violations.map((rule) =>
		rule.id + ": " + rule.nodes.map((node) => node.html.slice(0, 120) + " " + node.failureSummary).join("; ")))`)
}

// Scheme shows the pages in the light or the dark scheme. Nothing moves by itself, so that what is clicked stays where
// it was found.
func (p *Tab) Scheme(name string) {
	p.t.Helper()
	p.Do(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-reduced-motion", Value: "reduce"}, {Name: "prefers-color-scheme", Value: name}}}))
}
