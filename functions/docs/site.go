package docs

import (
	_ "embed"
	"strings"

	"eshop/functions/docs/openapi"
	"eshop/shared/api"
	"eshop/shared/page/stylesheet"
)

// sitePage is a page: where it is, what the menu calls it, and for a page of operations which ones they are.
type sitePage struct {
	at, name string
	section  *section
	file     string // of a guide: its Markdown
	tells    string // what the page is about, where neither a section nor a guide says it
	// of any other page that has no operations: its title and what is under it
	body func(c *content, r reader, groups []sitePage)
}

// part is a part of the menu: the pages for one kind of reader.
type part struct {
	title string
	pages []sitePage
}

// partners, authors and runners are the pages beside those of operations, for whoever connects a system to a shop,
// writes add-ons, or runs a platform.
var partners = part{"For partners", []sitePage{
	{at: "/docs", name: "Overview", tells: purpose, body: (*content).overview},
	{at: "/docs/conventions", name: "Conventions", file: "conventions.md"},
	{at: "/docs/webhooks", name: "Webhooks", file: "webhooks.md"},
	{at: "/docs/sync", name: "Keep a copy", file: "sync.md"},
	{at: "/docs/import-a-file", name: "Import a file", file: "import-a-file.md"},
	{at: "/docs/events", name: "Events", tells: "Each event that webhooks tell of, with its fields and a whole body.",
		body: (*content).eventsBody},
	{at: "/docs/errors", name: "Errors", tells: "What each error code means, and what to do about it.",
		body: (*content).errorsBody},
	{at: "/docs/changelog", name: "Changelog", file: "changelog.md"},
}}

var authors = part{"For add-on authors", []sitePage{
	{at: "/docs/developer", name: "Test shops and packages", file: "developer.md"},
	{at: "/docs/cli", name: "Command line", file: "cli.md"},
	{at: "/docs/frontend", name: "Code in the storefront", file: "frontend.md"},
	{at: "/docs/mail", name: "Mail customers", file: "mail.md"},
}}

var runners = part{"For who runs a platform", []sitePage{
	{at: "/docs/one-machine", name: "On one machine", file: "one-machine.md"},
	{at: "/docs/operator", name: "Operator's calls", file: "operator.md"},
	{at: "/docs/operations", name: "On AWS", file: "operations.md"},
	{at: "/docs/serverless", name: "Serverless without an emulator", file: "serverless.md"},
	{at: "/docs/scale", name: "Scale and cost", file: "scale.md"},
	{at: "/docs/performance", name: "Performance", file: "performance.md"},
	{at: "/docs/reliability", name: "Reliability", file: "reliability.md"},
}}

// partsWith are all parts in the menu's order, with the pages of operations among them.
func partsWith(groups []sitePage) []part {
	return []part{partners, authors, {"Reference", groups}, runners}
}

// purpose says what the platform's API is for.
const purpose = "Read and change the data of hosted e-shops over HTTP, get signed webhooks about every change, sell " +
	"configured products at quoted prices, and put code into storefronts."

// address is where the page of a group of operations is.
func address(group string) string {
	return "/docs/" + strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(group), "'", ""), " ", "-")
}

// site makes all files, by their addresses. Style, script and index stand at an address with a fingerprint, which a
// reader may keep for ever, and at their plain names for five minutes, for a page of another release (see unmarked).
// base is the platform's address.
func site(base string) map[string]file {
	reader := reader{openapi.Must(openapi.Parse(document)), base}
	sections := reader.sections()
	groups := make([]sitePage, len(sections))
	for i := range sections {
		groups[i] = sitePage{at: address(sections[i].Name), name: sections[i].Name, section: &sections[i]}
	}
	all := map[string]file{}
	// The fingerprint is made of the content, so another content has another address. It returns that address for the
	// pages.
	addFingerprinted := func(name, contentType string, body []byte) string {
		before, after, _ := strings.Cut(name, ".")
		at := "/docs/" + before + "." + fingerprint(body) + "." + after
		all[at], all["/docs/"+name] = newFile(contentType, forever, body), newFile(contentType, shortly, body)
		return at
	}
	common := layout{parts: partsWith(groups),
		style:  addFingerprinted("page.css", "text/css; charset=utf-8", stylesheet.With(style)),
		script: addFingerprinted("page.js", "text/javascript; charset=utf-8", script),
		search: addFingerprinted("search.json", "application/json", reader.index(sections))}
	// Pages themselves keep their addresses, so browsers may keep them only shortly.
	for _, part := range partsWith(groups) {
		for _, page := range part.pages {
			text := &content{}
			switch {
			case page.section != nil:
				text.groupBody(page.section)
			case page.file != "":
				text.guide(page.file, base)
			default:
				page.body(text, reader, groups)
			}
			html, markdown := common.page(page, text.html.String()), strings.TrimSpace(text.markdown.String())+"\n"
			all[page.at] = newFile("text/html; charset=utf-8", shortly, []byte(html))
			all[page.at+plainEnd] = newFile(markdownType, shortly, []byte(markdown))
		}
	}
	all[missing] = newFile("text/html; charset=utf-8", "no-store", []byte(common.page(sitePage{name: "Not found",
		tells: "There is no such page."}, toHTML("# There is no such page\n\n[The first page](/docs) and the "+
		"menu have all pages. The search finds guides, operations, fields, errors and events."))))
	for _, v := range api.Versions {
		all[documentAddress(v)] = newFile("application/json", shortly, documentOf(v))
	}
	all[api.DevelopersDocument] = newFile("application/json", shortly,
		openapi.Must(older.ReadFile("openapi-developer.json")))
	all["/docs/changelog.atom"] = newFile("application/atom+xml", shortly, changes(base))
	all["/docs/grafana.json"] = newFile("application/json", shortly, dashboard)
	all["/docs/alerts.yml"] = newFile("application/yaml", shortly, alerts)
	all[listPath] = newFile("text/plain; charset=utf-8", shortly, index(base, groups))
	return all
}

// missing is the key of the 404 page; no address is empty.
const missing = ""

// style is what only these pages look like.
//
//go:embed page.css
var style []byte

// script is the search box, the choice of an example's language, and trials.
//
//go:embed page.js
var script []byte

// dashboard shows the metrics of the one process in Grafana. The operator's guide leads to it. A test of infra/local
// holds its queries against what is served.
//
//go:embed grafana.json
var dashboard []byte

// alerts are rules of Prometheus for the same metrics. A test of infra/local holds them against what is served.
//
//go:embed alerts.yml
var alerts []byte

// policy lets pages load style, script and what the search box looks in from this host, and nothing from elsewhere.
const policy = "default-src 'none'; connect-src 'self'; img-src data:; style-src 'self'; script-src 'self'; " +
	"base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'"
