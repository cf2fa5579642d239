package docs

import (
	"html"
	"path"
	"slices"
	"strconv"
	"strings"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/page/stylesheet"
)

// The pages are written by hand and not by html/template, which keeps the linker from leaving out anything that a
// template could call: the program would be twice as big, and start so much later. All that is written is a part of the
// program; texts of the document are escaped nevertheless.

// layout is what all pages have around their body: head, search box and menu.
type layout struct {
	groups []sitePage
	// The addresses of the style, the script and what the search box looks in.
	style, script, search string
}

// page is a whole page: its head with the search box, the menu in which the page is marked, and its body. It works
// without the script; the search box, which does not, is hidden until the script shows it.
func (common layout) page(l sitePage, body string) string {
	return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<title>" + html.EscapeString(l.name) +
		" – E-shop platform API</title>\n" +
		`<link rel="icon" href="` + stylesheet.Icon + "\">\n" +
		"<link rel=\"stylesheet\" href=\"" + common.style + "\">\n<script defer src=\"" + common.script +
		"\"></script>\n</head>\n<body>\n" +
		"<header class=\"top\"><a class=\"home\" href=\"/docs\">E-shop API</a>\n" +
		`<div id="finder" data-index="` + common.search +
		"\" hidden><input id=\"search\" type=\"search\" placeholder=\"Search  ( / )\" " +
		"aria-label=\"Search guides, operations, fields, errors and events\" aria-controls=\"found\" " +
		"autocomplete=\"off\">" +
		"<ul id=\"found\" hidden></ul></div></header>\n<div class=\"columns\">\n" + common.menu(l) +
		"<main>\n" + body + "</main>\n</div>\n</body>\n</html>\n"
}

// menu is the list of all pages with the current one marked. On a phone it is folded.
func (common layout) menu(current sitePage) string {
	var m strings.Builder
	// list writes one part of the menu and marks the shown page in it. Screen readers read the mark out, too: it is
	// aria-current and not only a colour.
	list := func(title string, pages []sitePage) {
		m.WriteString("<h2>" + title + "</h2>\n<ul>\n")
		for _, p := range pages {
			mark := ""
			if p.at == current.at {
				mark = ` aria-current="page"`
			}
			m.WriteString(`<li><a href="` + p.at + `"` + mark + ">" + html.EscapeString(p.name) + "</a></li>\n")
		}
		m.WriteString("</ul>\n")
	}
	m.WriteString("<nav class=\"menu\" aria-label=\"Pages\"><details id=\"menu\" open><summary>" +
		html.EscapeString(current.name) + "</summary>\n")
	list("Guides", guidance)
	list("Reference", common.groups)
	m.WriteString("<p><a href=\"/openapi.json\">openapi.json</a></p>\n")
	for _, v := range api.Versions {
		at := documentAddress(v)
		m.WriteString(`<p><a href="` + at + `">` + path.Base(at) + "</a></p>\n")
	}
	return m.String() + "</details></nav>\n"
}

// errorsBody is the page to which the `type` of every problem leads: each code, its statuses, what it means and what to
// do. Its anchors are the codes, so they must never be renamed.
func errorsBody(reader, []sitePage) string {
	var b strings.Builder
	b.WriteString("<h1>Error codes</h1>\n" +
		prose("An error is `application/problem+json` (RFC 9457). Its `code` is stable: let programs decide by "+
			"it, not by "+
			"the texts. Its `requestId` is what we need to find a request. Statuses of 5xx and 429 may be "+
			"repeated, all "+
			"others only after a correction.") + "\n")
	// The anchor is what a problem's `type` leads to (contract, section 2).
	for _, c := range Codes {
		var statuses []string
		for _, s := range c.Status {
			statuses = append(statuses, strconv.Itoa(s))
		}
		b.WriteString(`<div class="code" id="` + c.Name + "\">\n<h2><a href=\"#" + c.Name + `"><code>` + c.Name +
			`</code></a> <span class="dim">` + strings.Join(statuses, " and ") + "</span></h2>\n" +
			prose(c.Means) + prose(c.Do) + "\n</div>\n")
	}
	b.WriteString("<h2 id=\"faults\">Codes of single faults</h2>\n" +
		prose("An `invalid` problem has one entry in `errors` for each fault: its `location`, as "+
			"`body.items[3].quantity`, "+
			"`query.changed[after]` or `header.If-Match`, and one of these codes.") + "\n<dl class=\"facts\">\n")
	for _, f := range FaultCodes {
		b.WriteString(`<dt id="fault-` + f.Name + `"><code>` + f.Name + "</code></dt><dd>" +
			inline(f.Means) + "</dd>\n")
	}
	return b.String() + "</dl>\n"
}

// eventsBody is the catalogue of events: each with its fields, and a whole body as a receiver is sent it.
func (r reader) eventsBody([]sitePage) string {
	var b, all strings.Builder
	b.WriteString("<h1>Events</h1>\n" + prose("What webhooks tell of, each with a whole body. All bodies have "+
		"the same head; `data` is "+
		"the event's own. How to take them, and to verify that they are ours, is in the "+
		"[guide](/docs/webhooks); pick them with "+
		"[createReceiver](/docs/receivers#createReceiver).") + "\n")
	// The list at the head of the page, and then the events themselves.
	var parts [][]string
	for _, e := range events.Sent {
		name := string(e)
		parts = append(parts, []string{"", name, name})
		data := r.fields(webhookSchema(e).in("properties", "data"), "data.")
		for i := range data {
			data[i].Optional, data[i].Required = !data[i].Required, false
		}
		all.WriteString(`<article class="op" id="` + name + "\">\n<h2>" + name +
			"</h2>\n<div class=\"halves\"><div>\n" + prose(eventDoc(e)) +
			"<h3>Fields</h3>" + fieldList(data) + "</div>\n<div><pre tabindex=\"0\">" +
			escaped(indented(webhookOf(e))) + "</pre></div></div>\n</article>\n")
	}
	return b.String() + contents(parts) + all.String()
}

// overview is the first page: what all operations have in common, and where each one is. Its anchors are the
// operations' ids, so that /docs#<operation> leads to an operation on whichever page it is.
func (r reader) overview(groups []sitePage) string {
	var b strings.Builder
	info := r.document.in("info")
	b.WriteString("<h1>E-shop platform API</h1>\n<p class=\"dim\">Version " +
		html.EscapeString(info.text("version")) + "</p>\n" +
		markdown(source("begin.md")) + prose(info.text("description")) + "\n" +
		prose("The examples are whole programs. They read the platform's address from `BASE`, a shop's own, its "+
			"`websiteUrl`, "+
			"from `SHOP`, and a token from `TOKEN`, all of their environment. Ids in them are those of the demo "+
			"shop, which are the "+
			"same after every first `make run`; an id that ends with `3E` is of something that you make first.") +
		"\n<h2 id=\"headers\">Headers of every answer</h2>\n" +
		prose("Under `/api-engine` and `/basket-price-…`; beside them `X-Request-Id` (your own, when you sent one) "+
			"and `Api-Version`, which a request may send as well: how long a version lives, and "+
			"what `Deprecation` and `Sunset` say on answers of one that ends, is at "+
			"[Versions](/docs/conventions#versions).") + "\n<dl class=\"facts\">")
	for _, l := range limitRows() {
		b.WriteString("<dt><code>" + l.Name + "</code></dt><dd>" + html.EscapeString(l.Doc) + "</dd>\n")
	}
	b.WriteString("</dl>\n")
	for _, g := range groups {
		b.WriteString(`<h2><a href="` + g.at + `">` + html.EscapeString(g.name) + "</a></h2>\n" + prose(g.section.Doc) +
			"\n<ul class=\"all\">\n")
		for _, o := range g.section.Operations {
			b.WriteString(`<li id="` + o.ID + `">` + operationLink(g.at, o) + "</li>\n")
		}
		b.WriteString("</ul>\n")
	}
	return b.String()
}

// operationLink leads to an operation on the page at an address; "" is the page that the link is on.
func operationLink(at string, o operation) string {
	return `<a href="` + at + "#" + o.ID + `"><span class="method ` + o.Method + `">` + o.Method + "</span> " +
		html.EscapeString(o.Summary) + "</a>"
}

// groupBody is the page of a group: a list of its operations, then each.
func groupBody(s *section) string {
	var b strings.Builder
	b.WriteString("<h1>" + html.EscapeString(s.Name) + "</h1>\n" + prose(s.Doc) +
		"\n<nav class=\"contents\" aria-label=\"On this page\">\n<ul>\n")
	for _, o := range s.Operations {
		b.WriteString("<li>" + operationLink("", o) + "</li>\n")
	}
	b.WriteString("</ul>\n</nav>\n")
	// What this page has shown already: see answerFields.
	shown := map[string]operation{}
	for _, o := range s.Operations {
		operationArticle(&b, o, shown)
	}
	return b.String()
}

// operationArticle is what the reference says of one operation: what it does, its parameters, body, answers and
// problems, and an example beside them. Fields of an answer that an operation above has already shown are shown there
// alone.
func operationArticle(b *strings.Builder, o operation, shown map[string]operation) {
	b.WriteString(`<article class="op" id="` + o.ID + "\">\n<h2>" + html.EscapeString(o.Summary) +
		"</h2>\n<div class=\"line\"><span class=\"method " + o.Method + `">` + o.Method +
		`</span><span class="path">` + html.EscapeString(o.Path) + "</span>")
	if o.Permission != "" {
		b.WriteString(`<span class="chip">` + html.EscapeString(o.Permission) + "</span>")
	}
	b.WriteString("</div>\n<div class=\"halves\"><div>\n" + prose(o.Doc) + "\n")
	if len(o.Parameters) > 0 {
		b.WriteString("<h3>Parameters</h3>" + fieldList(o.Parameters))
	}
	if len(o.Body) > 0 {
		b.WriteString("<h3>Body</h3>" + prose(o.BodyDoc) + fieldList(o.Body))
	}
	for _, a := range o.Answers {
		answerFields(b, a, o, shown)
	}
	b.WriteString("<h3>Problems</h3>\n<p>")
	for _, r := range o.Refusals {
		for _, code := range r.Codes {
			b.WriteString(`<a class="chip" href="/docs/errors#` + code + `">` + r.Status + " " + code + "</a> ")
		}
	}
	b.WriteString("</p>\n</div>\n<div class=\"beside\">\n")
	tabs(b, o)
	for _, a := range o.Answers {
		if a.Example != "" {
			b.WriteString(folded("Example of "+a.Status, `<pre tabindex="0">`+escaped(a.Example)+"</pre>"))
		}
	}
	b.WriteString("</div></div>\n</article>\n")
}

// answerFields are the headers and fields of an answer. shown are the lists of fields that the page has already, each
// by its HTML: a list that is there again becomes a link to the first one.
func answerFields(b *strings.Builder, a answer, o operation, shown map[string]operation) {
	b.WriteString("<h3>Answer " + a.Status + " " + a.Title + "</h3>\n")
	if len(a.Headers) > 0 {
		b.WriteString(`<p class="dim">With <code>` + strings.Join(a.Headers, "</code>, <code>") + "</code>.</p>\n")
	}
	if len(a.Fields) == 0 {
		b.WriteString("<p class=\"dim\">No body.</p>\n")
		return
	}
	list := fieldList(a.Fields)
	if first, again := shown[list]; again {
		b.WriteString(`<p>The same fields as of <a href="#` + first.ID + `">` + html.EscapeString(first.Summary) +
			"</a>.</p>\n")
		return
	}
	// Equal HTML means equal fields: records are answered by many operations, and their lists are long.
	shown[list] = o
	b.WriteString(folded("Fields", list))
}

// untried says why an operation cannot be called from the page; "" for one that can.
func untried(r request) string {
	switch {
	case r.shop:
		return "No trial here: it answers at a shop's own host, to a shopper's cookies."
	case !r.token:
		return "No trial here: it takes an install code, which a package's systemUrl alone is told."
	case r.image:
		return "No trial here: it takes a file."
	}
	return ""
}

// tabs are the operation's example in each language. Radio buttons choose one, so that it works without a script. The
// data- attributes are for page.js, which calls the operation where trials are offered.
func tabs(b *strings.Builder, o operation) {
	// What the script needs to call the operation, or why it cannot be called from here.
	try := ""
	if because := untried(o.Request); because != "" {
		try = ` data-untried="` + html.EscapeString(because) + `"`
	} else {
		try = ` data-method="` + o.Method + `" data-path="` + html.EscapeString(o.Path) + `"`
		if o.Request.path != o.Path {
			try += ` data-example="` + html.EscapeString(o.Request.path) + `"`
		}
		if o.Request.body != "" {
			try += ` data-body="` + html.EscapeString(o.Request.body) + `"`
		}
		if i := slices.IndexFunc(o.Parameters, func(f field) bool { return f.In == "query" }); i >= 0 {
			try += ` data-query="` + html.EscapeString(o.Parameters[i].Name) + `"`
		}
	}
	b.WriteString(`<div class="tabs"` + try + ` role="group" aria-label="Example">` + "\n")
	for i, s := range samples(o.Request) {
		checked := ""
		if i == 0 {
			checked = " checked"
		}
		b.WriteString(`<label><input type="radio" name="` + o.ID + `-in" value="` + s.Language + `"` + checked + ">" +
			s.Language + "</label>\n")
	}
	for _, s := range samples(o.Request) {
		b.WriteString(`<pre tabindex="0" data-in="` + s.Language + `">` + escaped(s.Source) + "</pre>\n")
	}
	b.WriteString("</div>\n")
}

// escaped escapes a text between tags. Quotes stay: between tags they are safe, and examples are full of them.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace

// folded is a part of a page that opens at a click.
func folded(title, inner string) string {
	return "<details><summary>" + title + "</summary>" + inner + "</details>\n"
}

// fieldList is a list of fields or parameters: each with its name, its type, its bounds, and what it means.
func fieldList(fields []field) string {
	var b strings.Builder
	b.WriteString("<dl class=\"facts\">\n")
	for _, f := range fields {
		b.WriteString("<dt><code>" + html.EscapeString(f.Name) + "</code>")
		if f.Required {
			b.WriteString(` <span class="must">required</span>`)
		}
		if f.Optional {
			b.WriteString(` <span class="may">optional</span>`)
		}
		kind := html.EscapeString(f.Type)
		if f.In != "" {
			kind += " in " + f.In
		}
		if f.Limits != "" {
			kind += " · " + html.EscapeString(f.Limits)
		}
		b.WriteString("</dt>\n<dd><span class=\"kind\">" + kind + "</span>" + prose(f.Doc) + "</dd>\n")
	}
	return b.String() + "</dl>"
}
