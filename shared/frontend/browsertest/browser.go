// Package browsertest is shoppers in a real browser: a headless Chromium, one for a test process, started by the first
// test that wants it. It reaches this machine only; localhost, 127.0.0.1, *.localhost and *.test are this machine.
//
//	func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }
//
//	shopper := browsertest.NewShopper(t)   // cookies and storage of their own
//	tab := shopper.Tab()
//	tab.Go(server.URL + "/")
//	tab.Fill("#quantity", "2")
//	tab.Follow("form button")              // a click that leads to another page
//	tab.Wait(`document.querySelector("[data-cart-count]").textContent === "2"`)
//	lines := browsertest.Eval[[]string](tab, `dataLayer.slice(1).map(m => m.event)`)
//	require.Empty(t, tab.Faults())
//
// Where there is no Chromium a test that wants it is skipped, unless TOOLS=required is set, as .ci/run does.
package browsertest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// patience is how long a step may take before it has failed: machines of tests are slow.
const patience = 3 * time.Minute

// loopback is all of the network that the browser reaches.
const loopback = "MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1"

// names are what Chromium is called on the machines that we know.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell"}

var chromium struct {
	sync.Mutex
	context.Context
}

// Main runs a package's tests and closes the browser that they used.
func Main(m *testing.M) int {
	code := m.Run()
	Close()
	return code
}

// Close ends the browser, if there is one. Without it the browser ends with the process and leaves its folder behind.
func Close() {
	chromium.Lock()
	defer chromium.Unlock()
	if chromium.Context == nil {
		return
	}
	ctx, cancel := context.WithTimeout(chromium.Context, patience)
	defer cancel()
	_ = chromedp.Cancel(ctx)
	chromium.Context = nil
}

// browser starts the browser once, and skips the test where there is none.
func browser(t testing.TB) context.Context {
	t.Helper()
	chromium.Lock()
	defer chromium.Unlock()
	if chromium.Context != nil {
		return chromium.Context
	}
	path := installed()
	if path == "" && os.Getenv("TOOLS") == "required" {
		t.Fatalf("there is no Chromium here, and TOOLS=required: `make tools` installs it")
	}
	if path == "" {
		t.Skipf("there is no Chromium here (none of %s): `make tools` installs it", strings.Join(names, ", "))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.Flag("host-resolver-rules", loopback),
		chromedp.Flag("ignore-certificate-errors", true), // those of a test's own server are signed by nobody
		chromedp.Flag("allow-pre-commit-input", true),    // else a click before a page is painted is lost
		chromedp.Flag("disable-component-update", true))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium's own does not run as root
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	require.NoError(t, chromedp.Do(ctx), "Chromium does not start")
	chromium.Context = ctx
	return ctx
}

func installed() string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Shopper is a person at a browser of their own: their tabs share cookies and storage, and nothing with other shoppers.
type Shopper struct {
	t     testing.TB
	ctx   context.Context
	first *Tab
}

// NewShopper is there until the test ends.
func NewShopper(t testing.TB) *Shopper {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes long")
	}
	ctx, cancel := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	s := &Shopper{t: t, ctx: ctx}
	s.first = s.open(ctx)
	return s
}

// Tab opens a tab.
func (s *Shopper) Tab() *Tab {
	s.t.Helper()
	if tab := s.first; tab != nil {
		s.first = nil
		return tab
	}
	ctx, cancel := chromedp.NewContext(s.ctx)
	s.t.Cleanup(cancel)
	return s.open(ctx)
}

func (s *Shopper) open(ctx context.Context) *Tab {
	s.t.Helper()
	tab := &Tab{t: s.t, ctx: ctx}
	require.NoError(s.t, chromedp.Do(ctx), "a tab does not open")
	require.NoError(s.t, chromedp.Listen(ctx, func(event any) {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			tab.faults = append(tab.faults, described(e.ExceptionDetails))
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError {
				tab.faults = append(tab.faults, "console.error: "+written(e.Args))
			}
		}
	}))
	tab.Scheme("light")
	return tab
}

// written are the arguments of a call of the console's, as it shows them.
func written(values []*runtime.RemoteObject) string {
	var all []string
	for _, v := range values {
		all = append(all, cmp.Or(v.Description, string(v.Value)))
	}
	return strings.Join(all, " ")
}

func described(fault *runtime.ExceptionDetails) string {
	if fault.Exception != nil {
		return fault.Text + " " + fault.Exception.Description
	}
	return fault.Text
}

// Tab is one tab. Its steps wait until they can be done, and fail the test when that takes three minutes.
type Tab struct {
	t      testing.TB
	ctx    context.Context
	mu     sync.Mutex
	faults []string
}

// Do is a step of chromedp's own.
func (p *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	require.NoError(p.t, chromedp.Do(ctx, steps...))
}

// Go opens a page and waits until it is loaded. Statuses of errors are pages, too.
func (p *Tab) Go(url string) {
	p.t.Helper()
	p.Do(chromedp.Navigate(url))
}

// Reload loads the page anew.
func (p *Tab) Reload() {
	p.t.Helper()
	p.Do(chromedp.Reload())
}

// Back goes back in the tab's history, to a page that the browser kept or loads anew.
func (p *Tab) Back() {
	p.t.Helper()
	ofTab := func(e page.EventFrameNavigated) bool { return e.Frame.ParentID == "" }
	back := chromedp.Evaluate[chromedp.Void](`setTimeout(() => history.back())`) // at once it may leave unanswered
	p.Do(ignoring(chromedp.WaitEvent(page.FrameNavigated, ofTab, back)))
	p.Wait(`document.readyState === "complete"`)
}

// Click clicks the middle of the first element that the selector finds, once it is to be seen.
func (p *Tab) Click(selector string) {
	p.t.Helper()
	p.Do(p.click(selector))
}

// Follow is a click that leads to another page, and waits until that is loaded.
func (p *Tab) Follow(selector string) {
	p.t.Helper()
	p.Do(ignoring(chromedp.WaitEvent(page.LoadEventFired, nil, p.click(selector))))
}

func (p *Tab) click(selector string) chromedp.Action[chromedp.Void] {
	p.t.Helper()
	element := p.shown(selector)
	at := Eval[[]float64](p, `(e => { e.scrollIntoView({block: "center", behavior: "instant"});
		const r = e.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2] })(`+element+`)`)
	return chromedp.MouseClickXY(at[0], at[1])
}

// Fill types a text into a field in the place of what is there.
func (p *Tab) Fill(selector, text string) {
	p.t.Helper()
	p.Run(p.shown(selector) + `.focus(); document.activeElement.select()`)
	p.Type(text)
}

// Type puts a text, in any letters, where the cursor is.
func (p *Tab) Type(text string) {
	p.t.Helper()
	p.Do(call(input.InsertText, input.InsertTextParams{Text: text}))
}

// Press presses the keys of the text, one after another: "\t" is Tab, " " the space bar, "\r" Enter.
func (p *Tab) Press(keys string) {
	p.t.Helper()
	p.Do(chromedp.KeyEvent(keys))
}

// Enter presses Enter where that leads to another page, and waits until that is loaded.
func (p *Tab) Enter() {
	p.t.Helper()
	p.Do(ignoring(chromedp.WaitEvent(page.LoadEventFired, nil, chromedp.KeyEvent("\r"))))
}

// TabTo presses Tab until what the selector finds has the focus.
func (p *Tab) TabTo(selector string) {
	p.t.Helper()
	for range 200 {
		p.Press("\t")
		if Eval[bool](p, fmt.Sprintf("document.activeElement.matches(%q)", selector)) {
			return
		}
	}
	require.Fail(p.t, "Tab does not lead there", "%s at %s", selector, p.URL())
}

// Width makes the tab's window as many pixels wide.
func (p *Tab) Width(pixels int) {
	p.t.Helper()
	p.Do(chromedp.EmulateViewport(int64(pixels), 800))
}

// WithoutScripts lets no script of the tab's pages run from the next page on.
func (p *Tab) WithoutScripts() {
	p.t.Helper()
	p.Do(call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
}

// Text is the text of the first element that the selector finds, once it is to be seen.
func (p *Tab) Text(selector string) string {
	p.t.Helper()
	return Eval[string](p, p.shown(selector)+`.innerText.trim()`)
}

// shown waits until the element is to be seen, and is an expression of it. It asks the page, not chromedp's picture of
// its nodes, which a page out of the back/forward cache is not in.
func (p *Tab) shown(selector string) string {
	p.t.Helper()
	quoted, err := json.Marshal(selector)
	require.NoError(p.t, err)
	element := "document.querySelector(" + string(quoted) + ")"
	p.Wait(element + `?.getClientRects().length && document.readyState !== "loading"`)
	return element
}

// URL is where the tab is.
func (p *Tab) URL() string {
	p.t.Helper()
	return Eval[string](p, `location.href`)
}

// Wait waits until the expression is true, whatever pages come and go meanwhile.
func (p *Tab) Wait(expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for {
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if is && err == nil {
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			require.Fail(p.t, "waited in vain", "%s at %s", expression, p.URL())
		}
	}
}

// Faults are the errors that no script of the tab's pages caught, rejected promises included, and those written to the
// console, in their order.
func (p *Tab) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.faults...)
}

// Screenshot writes a picture of the whole page, as a window of this width shows it, to a PNG file.
func (p *Tab) Screenshot(file string, width int) {
	p.t.Helper()
	p.Width(width)
	picture := run(p, chromedp.FullScreenshot(100))
	require.NoError(p.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(p.t, os.WriteFile(file, picture, 0o644))
}

// Run runs a script in the page, one of its own each time.
func (p *Tab) Run(script string) {
	p.t.Helper()
	p.Do(chromedp.Evaluate[chromedp.Void]("{" + script + "\n}"))
}

// BeforeEachPage runs a script in each page to come before the page's own.
func (p *Tab) BeforeEachPage(script string) {
	p.t.Helper()
	p.Do(call(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}))
}

// PaintsBefore holds back each deferred script at such an address (* is anything) until all of its page was painted, as
// a slow line does.
func (p *Tab) PaintsBefore(addresses ...string) {
	p.t.Helper()
	var held []*fetch.RequestPattern
	for _, address := range addresses {
		held = append(held, &fetch.RequestPattern{URLPattern: address})
	}
	require.NoError(p.t, chromedp.Listen(p.ctx, func(event any) {
		e, is := event.(*fetch.EventRequestPaused)
		if !is {
			return
		}
		go func() {
			for painted := false; !painted && p.ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
				painted, _ = chromedp.Run(p.ctx, chromedp.Evaluate[bool](`new Promise((done) => {
					if (document.readyState === "loading") return done(false);
					requestAnimationFrame(() => requestAnimationFrame(() =>
						done(performance.getEntriesByType("paint").length > 0)));
				})`, chromedp.EvalAwaitPromise))
			}
			_ = chromedp.Do(p.ctx, call(fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID}))
		}()
	}))
	// What is kept is not asked for, so nothing is kept.
	p.Do(call(network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true}),
		call(fetch.Enable, fetch.EnableParams{Patterns: held}))
}

// Shifted is how far the page's content has moved since it was painted first, as layout shifts are counted
// (web.dev/cls), but for what came of somebody's typing or clicking.
func (p *Tab) Shifted() float64 {
	p.t.Helper()
	return Eval[float64](p, `new Promise((done) => {
		let sum = 0;
		const add = (entries) => entries.forEach((e) => { if (!e.hadRecentInput) sum += e.value; });
		const observer = new PerformanceObserver((list) => add(list.getEntries()));
		observer.observe({ type: "layout-shift", buffered: true });
		requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
			add(observer.takeRecords());
			done(sum);
		})));
	})`)
}

// call is a command of the browser's own, without its answer.
func call[In, Out any](command cdp.Command[In, Out], in In) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, command, in)
		return chromedp.Void{}, err
	}
}

// Eval is an expression's value, of a promise what it comes to.
func Eval[T any](p *Tab, expression string) T {
	p.t.Helper()
	return run(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

func run[T any](p *Tab, step chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, step)
	require.NoError(p.t, err)
	return v
}

// ignoring is a step without its value.
func ignoring[T any](step chromedp.Action[T]) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := step(ctx, target)
		return chromedp.Void{}, err
	}
}
