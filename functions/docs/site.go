package docs

import (
	"strings"
)

// leaf is a page: where it is, what the menu calls it and, of a page of operations, which they are.
type leaf struct {
	at, name string
	section  *section
	file     string                               // of a guide: its Markdown
	body     func(r reader, groups []leaf) string // of any other page that has no operations: its title and what is under it
}

// guidance are the pages beside those of operations, in the menu's order.
var guidance = []leaf{
	{at: "/docs", name: "Overview", body: reader.overview},
	{at: "/docs/conventions", name: "Conventions", file: "conventions.md"},
	{at: "/docs/webhooks", name: "Webhooks", file: "webhooks.md"},
	{at: "/docs/events", name: "Events", body: reader.eventsBody},
	{at: "/docs/errors", name: "Errors", body: errorsBody},
	{at: "/docs/frontend", name: "Frontend", file: "frontend.md"},
	{at: "/docs/operator", name: "Operator", file: "operator.md"},
	{at: "/docs/operations", name: "Operations", file: "operations.md"},
}

// address is where the page of a group of operations is.
func address(group string) string {
	return "/docs/" + strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(group), "'", ""), " ", "-")
}

// site is all files by their addresses. On a host that offers trials readers call operations from the pages.
func site(trial bool) map[string]file {
	d, err := parse(document)
	if err != nil {
		panic("docs: " + err.Error()) // the document is a part of the program
	}
	r := reader{writer{document: d}}
	sections := r.sections()
	groups := make([]leaf, len(sections))
	for i := range sections {
		groups[i] = leaf{at: address(sections[i].Name), name: sections[i].Name, section: &sections[i]}
	}
	all := map[string]file{}
	kept := func(name, contentType string, body []byte) string {
		before, after, _ := strings.Cut(name, ".")
		at := "/docs/" + before + "." + fingerprint(body) + "." + after
		all[at], all["/docs/"+name] = newFile(contentType, forever, body), newFile(contentType, shortly, body)
		return at
	}
	b := binder{groups: groups, trial: trial, style: kept("page.css", "text/css; charset=utf-8", style),
		script: kept("page.js", "text/javascript; charset=utf-8", script),
		search: kept("search.json", "application/json", r.index(sections))}
	bind := func(l leaf, body string) {
		all[l.at] = newFile("text/html; charset=utf-8", shortly, []byte(b.page(l, body)))
	}
	for _, l := range guidance {
		if l.file != "" {
			bind(l, guide(l.file))
		} else {
			bind(l, l.body(r, groups))
		}
	}
	for _, l := range groups {
		bind(l, groupBody(l.section))
	}
	return all
}
