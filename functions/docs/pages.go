package docs

import (
	"html"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"eshop/events"
	"eshop/functions/docs/openapi"
	"eshop/shared/api"
	"eshop/shared/page/stylesheet"
)

// The pages are written by hand and not by html/template, which keeps the linker from leaving out anything that a
// template could call: the program would be twice as big, and start so much later. All that is written is a part of the
// program; texts of the document are escaped nevertheless.

// layout is what all pages have around their body: head, search box and menu.
type layout struct {
	parts []part
	// The addresses of the style, the script and what the search box looks in.
	style, script, search string
}

// page is a whole page: its head with the search box and the way back up, the menu in which the page is marked, and its
// body. It works without the script; the search box, which does not, is hidden until the script shows it.
func (common layout) page(page sitePage, body string) string {
	return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<title>" + html.EscapeString(page.name) +
		" – E-shop platform API</title>\n" +
		`<meta name="description" content="` + html.EscapeString(page.description()) + "\">\n" +
		`<link rel="icon" href="` + stylesheet.Icon + "\">\n" +
		"<link rel=\"stylesheet\" href=\"" + common.style + "\">\n<script defer src=\"" + common.script +
		"\"></script>\n</head>\n<body id=\"top\" data-version=\"" + api.Newest().Name + "\">\n" +
		"<header class=\"top\"><a class=\"home\" href=\"/docs\">E-shop API</a>\n" +
		`<div id="finder" data-index="` + common.search +
		"\" hidden><input id=\"search\" type=\"search\" placeholder=\"Search  ( / )\" " +
		"aria-label=\"Search guides, operations, fields, errors and events\" aria-controls=\"found\" " +
		"autocomplete=\"off\">" +
		"<ul id=\"found\" hidden></ul></div><a class=\"up\" href=\"#top\" aria-label=\"To the top of the page\">↑</a>" +
		"</header>\n<div class=\"columns\">\n" + common.menu(page) +
		"<main>\n" + body + "</main>\n</div>\n</body>\n</html>\n"
}

// menu is the list of all pages with the current one marked. The style unfolds it on a desk, where it
// scrolls by itself, so the keyboard can come to it.
func (common layout) menu(current sitePage) string {
	var menu strings.Builder
	menu.WriteString("<nav class=\"menu\" aria-label=\"Pages\"><details tabindex=\"0\"><summary>" +
		html.EscapeString(current.name) + "</summary>\n")
	for _, part := range common.parts {
		menu.WriteString("<h2>" + part.title + "</h2>\n<ul>\n")
		for _, p := range part.pages {
			mark := ""
			if p.at == current.at { // screen readers read the mark out, too: it is not only a colour
				mark = ` aria-current="page"`
			}
			menu.WriteString(`<li><a href="` + p.at + `"` + mark + ">" + html.EscapeString(p.name) + "</a></li>\n")
		}
		menu.WriteString("</ul>\n")
	}
	menu.WriteString("<p><a href=\"/openapi.json\">openapi.json</a></p>\n")
	for _, v := range api.Versions {
		at := documentAddress(v)
		menu.WriteString(`<p><a href="` + at + `">` + path.Base(at) + "</a></p>\n")
	}
	return menu.String() + "</details></nav>\n"
}

// errorsBody is the page to which the `type` of every problem leads: each code, its statuses, what it means and what to
// do. Its anchors are the codes, so they must never be renamed.
func (c *content) errorsBody(reader, []sitePage) {
	c.write("# Error codes\n\n" +
		"An error is `application/problem+json` (RFC 9457). Its `code` is stable: let programs decide by it, not by " +
		"the texts. Its `requestId` is what we need to find a request. Statuses of 5xx and 429 may be repeated, all " +
		"others only after a correction.")
	// The anchor is what a problem's `type` leads to (contract, "Errors").
	for _, e := range openapi.Codes {
		var statuses []string
		for _, s := range e.Status {
			statuses = append(statuses, strconv.Itoa(s))
		}
		c.within(`class="code" id="`+e.Name+`"`, "## "+link("`"+e.Name+"`", "#"+e.Name)+" "+
			strings.Join(statuses, " and ")+"\n\n"+e.Means+"\n\n"+e.Do)
	}
	c.within(`id="faults"`, "## Codes of single faults\n\n"+
		"An `invalid` problem has one entry in `errors` for each fault: its `location`, as `body.items[3].quantity`, "+
		"`query.changed[after]` or `header.If-Match`, and one of these codes. Faults "+
		"against the operation's schema come first, all together: types, bounds, formats. Only a body that fits the "+
		"schema is held against further rules, as of `quantity` beside `change`, and then against the shop's data, "+
		"as whether a category is there. So a correction may show further faults.")
	for _, f := range openapi.FaultCodes {
		c.within(`class="code" id="fault-`+f.Name+`"`, "### "+link("`"+f.Name+"`", "#fault-"+f.Name)+"\n\n"+f.Means)
	}
}

// eventsBody is the catalogue of events: each with its fields, and a whole body as a receiver is sent it.
func (c *content) eventsBody(reader reader, _ []sitePage) {
	c.write("# Events\n\n" +
		"What webhooks tell of, each with a whole body. All bodies have the same head; `data` is the event's own. " +
		"How to take them, and to verify that they are ours, is in the [guide](/docs/webhooks); pick them with " +
		"[createReceiver](/docs/receivers#createReceiver).")
	var list strings.Builder
	for _, e := range events.Sent {
		list.WriteString("- " + link(string(e), "#"+string(e)) + "\n")
	}
	c.frame(contents)
	c.write(list.String())
	c.frame("</nav>\n")
	for _, event := range events.Sent {
		data := reader.fields(openapi.WebhookSchema(event).In("properties", "data"), "data.")
		for i := range data {
			data[i].Optional, data[i].Required = !data[i].Required, false
		}
		c.frame(`<article class="op" id="` + string(event) + "\">\n")
		c.write("## " + string(event))
		c.frame("<div class=\"halves\"><div>\n")
		c.write(openapi.EventDoc(event) + "\n\n### Fields\n\n" + fieldList(data))
		c.frame("</div>\n<div>")
		c.write(fenced("json", indented(openapi.WebhookOf(event))))
		c.frame("</div></div>\n</article>\n")
	}
}

// overview is the first page: what all operations have in common, and where each one is. Its anchors are the
// operations' ids, so that /docs#<operation> leads to an operation on whichever page it is.
func (c *content) overview(r reader, groups []sitePage) {
	info := r.document.In("info")
	c.write("# E-shop platform API\n\n" + purpose)
	c.within(`class="dim"`, "Version "+api.Newest().Name)
	c.writeAnchored(addressed(source("begin.md"), r.base))
	c.write(info.Text("description") + "\n\n" +
		"The examples are whole programs, and call this platform. They read a token from `TOKEN`, and a shop's own " +
		"address, its `websiteUrl`, from `SHOP`, of their environment. Ids in them are those of the demo shop, which " +
		"are the same after every first `make run`; an id that ends with `3E` is of something that you make first.")
	c.within(`id="headers"`, "## Headers of every answer\n\n"+
		"Under `/api-engine` and `/basket-price-…`; beside them `X-Request-Id` (your own, when you sent one) and "+
		"`Api-Version`, which a request may send as well: how long a version lives, and what `Deprecation` and "+
		"`Sunset` say on answers of one that ends, is at [Versions](/docs/conventions#versions).\n\n"+
		fieldList(limitRows()))
	for _, g := range groups {
		c.write("## " + link(g.name, g.at) + "\n\n" + g.section.Doc)
		list := operationList(g.at, g.section)
		c.frame(`<div class="all">`)
		c.add(list, operationItem.ReplaceAllString(toHTML(list), `<li id="$2"><a href="$1#$2">`))
		c.frame("</div>\n")
	}
}

// operationItem matches how an operation begins in a list of operations of another page.
var operationItem = regexp.MustCompile(`<li><a href="([^#"]+)#(\w+)">`)

// operationList is the operations of a group, which are on the page at an address; "" is the page that the list is on.
func operationList(at string, s *section) string {
	var b strings.Builder
	for _, o := range s.Operations {
		b.WriteString("- " + link("`"+o.Method+"` "+o.Summary, at+"#"+o.ID) + "\n")
	}
	return b.String()
}

// groupBody is the page of a group: a list of its operations, then each.
func (c *content) groupBody(s *section) {
	c.write("# " + s.Name + "\n\n" + s.Doc)
	c.frame(contents)
	c.write(operationList("", s))
	c.frame("</nav>\n")
	// What this page has shown already: see answer.
	shown := map[string]operation{}
	for _, o := range s.Operations {
		c.operation(o, shown)
	}
}

// operation writes what the reference says of one operation: what it does, its parameters, body, answers and problems,
// and an example beside them. Fields of an answer that an operation above has already shown are shown there alone.
func (c *content) operation(op operation, shown map[string]operation) {
	c.frame(`<article class="op" id="` + op.ID + "\">\n")
	c.write("## " + op.Summary)
	line := "`" + op.Method + "` `" + op.Path + "`"
	if op.Permission != "" {
		line += " `" + op.Permission + "`"
	}
	c.within(`class="line"`, line)
	c.frame("<div class=\"halves\"><div>\n")
	c.write(op.Doc)
	if len(op.Parameters) > 0 {
		c.write("### Parameters\n\n" + fieldList(op.Parameters))
	}
	if len(op.Body) > 0 {
		c.write("### Body\n\n" + op.BodyDoc + "\n\n" + fieldList(op.Body))
	}
	for _, a := range op.Answers {
		c.answer(a, op, shown)
	}
	var problems []string
	for _, r := range op.Refusals {
		for _, code := range r.Codes {
			problems = append(problems, link(r.Status+" "+code, "/docs/errors#"+code))
		}
	}
	c.write("### Problems")
	c.within(`class="chips"`, strings.Join(problems, "\n"))
	c.frame("</div>\n<div class=\"beside\">\n")
	c.tabs(op)
	for _, a := range op.Answers {
		if a.Example != "" {
			c.fold("Example of "+a.Status, fenced("json", a.Example))
		}
	}
	c.frame("</div></div>\n</article>\n")
}

// answer writes the headers and fields of an answer. shown are the lists of fields that the page has already: a list
// that is there again becomes a link to the first one, since records are answered by many operations.
func (c *content) answer(shows answer, op operation, shown map[string]operation) {
	c.write("### Answer " + shows.Status + " " + shows.Title)
	if len(shows.Headers) > 0 {
		c.within(`class="dim"`, "With `"+strings.Join(shows.Headers, "`, `")+"`.")
	}
	if len(shows.Fields) == 0 {
		c.within(`class="dim"`, "No body.")
		return
	}
	list := fieldList(shows.Fields)
	if first, again := shown[list]; again {
		c.write("The same fields as of " + link(first.Summary, "#"+first.ID) + ".")
		return
	}
	shown[list] = op
	c.fold("Fields", list)
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
func (c *content) tabs(op operation) {
	// What the script needs to call the operation, or why it cannot be called from here.
	try := ""
	if because := untried(op.Request); because != "" {
		try = attribute("data-untried", because)
	} else {
		try = attribute("data-method", op.Method) + attribute("data-path", op.Path)
		if op.Request.path != op.Path {
			try += attribute("data-example", op.Request.path)
		}
		if op.Request.body != "" {
			try += attribute("data-body", op.Request.body)
		}
		if i := slices.IndexFunc(op.Parameters, func(f field) bool { return f.In == "query" }); i >= 0 {
			try += attribute("data-query", op.Parameters[i].Name)
		}
	}
	c.frame(`<div class="tabs"` + try + ` role="group" aria-label="Example">` + "\n")
	all, checked := samples(op.Request), " checked"
	for _, s := range all {
		c.frame(`<label><input type="radio" name="` + op.ID + `-in" value="` + s.Language + `"` + checked + ">" +
			s.Language + "</label>\n")
		checked = ""
	}
	for _, s := range all {
		c.add(fenced(s.Language, s.Source), strings.Replace(preformatted(s.Source), ">",
			attribute("data-in", s.Language)+">", 1))
	}
	c.frame("</div>\n")
}

// fieldList is a list of fields or parameters: each with its name, its type, what it means, and its bounds. In Markdown
// it is a list of definitions.
func fieldList(fields []field) string {
	var b strings.Builder
	for _, field := range fields {
		b.WriteString("`" + field.Name + "`")
		if field.Required {
			b.WriteString(" **required**")
		}
		if field.Optional {
			b.WriteString(" *optional*")
		}
		kind := field.Type
		if field.In != "" {
			kind += " in " + field.In
		}
		says := []string{kind}
		if field.Doc != "" {
			says = append(says, field.Doc)
		}
		if field.Limits != "" {
			says = append(says, "*"+field.Limits+"*")
		}
		b.WriteString("\n\n: " + strings.ReplaceAll(strings.Join(says, "\n\n"), "\n\n", "\n\n  ") + "\n\n")
	}
	return b.String()
}
