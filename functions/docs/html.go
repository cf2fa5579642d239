package docs

import (
	"html"
	"strconv"
	"strings"
)

// The pages are written by hand and not by html/template, which keeps the linker from leaving out anything that a
// template could call: the program would be twice as big, and start so much later. All that is written is a part of the
// program; texts of the document are escaped nevertheless.

// framed is a whole page.
func framed(title, body string) string {
	return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<title>" + html.EscapeString(title) + " – E-shop platform API</title>\n<link rel=\"icon\" href=\"data:,\">\n" +
		"<style>" + style + "</style>\n</head>\n<body>\n" + body + "</body>\n</html>\n"
}

// pages are where the head of each page leads to, in this order.
var pages = []struct{ at, name string }{
	{"/docs", "Reference"}, {"/docs/webhooks", "Webhooks"}, {"/docs/frontend", "Frontend"},
	{"/docs/operations", "Operations"}, {"/docs/errors", "Error codes"}, {"/openapi.json", "openapi.json"},
}

// top is a page's head, with links to the other pages and whatever else stands in it.
func top(title string, more ...string) string {
	var b strings.Builder
	b.WriteString(`<header class="top"><strong>` + html.EscapeString(title) + "</strong>")
	for _, p := range pages {
		if p.name != title {
			b.WriteString(`<a href="` + p.at + `">` + p.name + "</a>")
		}
	}
	return b.String() + strings.Join(more, "") + "</header>\n"
}

func errorsPage() []byte {
	var b strings.Builder
	b.WriteString(top("Error codes") + "<main class=\"narrow\">\n<h1>Error codes</h1>\n" +
		prose("An error is `application/problem+json` (RFC 9457). Its `code` is stable: let programs decide by it, not by "+
			"the texts. Its `requestId` is what we need to find a request. Statuses of 5xx and 429 may be repeated, all "+
			"others only after a correction.") + "\n")
	for _, c := range Codes {
		var statuses []string
		for _, s := range c.Status {
			statuses = append(statuses, strconv.Itoa(s))
		}
		b.WriteString(`<div class="code" id="` + c.Name + "\">\n<h3><a href=\"#" + c.Name + `"><code>` + c.Name +
			`</code></a> <span class="dim">` + strings.Join(statuses, " and ") + "</span></h3>\n" +
			prose(c.Means) + prose(c.Do) + "\n</div>\n")
	}
	b.WriteString("<h2 id=\"faults\">Codes of single faults</h2>\n" +
		prose("An `invalid` problem has one entry in `errors` for each fault: its `location`, as `body.items[3].quantity`, "+
			"`query.changed[after]` or `header.If-Match`, and one of these codes.") + "\n<dl class=\"fields\">\n")
	for _, f := range FaultCodes {
		b.WriteString("<dt><code>" + f.Name + "</code></dt><dd>" + html.EscapeString(f.Means) + "</dd>\n")
	}
	b.WriteString("</dl>\n</main>\n")
	return []byte(framed("Error codes", b.String()))
}

// referenceBody is the page of all operations, with a menu and a search box.
func referenceBody(info *object, sections []section) string {
	search := `<input id="search" type="search" placeholder="Search  ( / )" aria-label="Search operations">`
	var b strings.Builder
	b.WriteString(strings.Replace(top("Reference", search), "<strong>Reference<", "<strong>E-shop platform API<", 1) +
		"<div class=\"columns\">\n<nav aria-label=\"Operations\"><div>" +
		"<details id=\"menu\" open><summary>Operations</summary>\n")
	for _, s := range sections {
		b.WriteString(`<div class="group"><strong>` + html.EscapeString(s.Name) + "</strong>\n<ul>")
		for _, o := range s.Operations {
			b.WriteString(`<li data-words="` + html.EscapeString(words(o)) + `"><a href="#` + o.ID + `">` +
				html.EscapeString(o.Summary) + "</a></li>\n")
		}
		b.WriteString("</ul></div>\n")
	}
	b.WriteString("</details></div></nav>\n<main>\n<h1>Reference</h1>\n<p class=\"dim\">Version " +
		html.EscapeString(info.text("version")) + "</p>\n" + prose(info.text("description")) + "\n" +
		prose("In the examples `$BASE` is the platform's address, `$SHOP` a shop's own, its `websiteUrl`, and `$TOKEN` a "+
			"token.") + "\n<details><summary>Headers of every answer</summary>\n" +
		prose("Under `/api-engine` and `/basket-price-…`; beside them `X-Request-Id` (your own, when you sent one) and "+
			"`Api-Version`, which a request may send as well.") + "\n<dl class=\"fields\">")
	for _, l := range limitRows() {
		b.WriteString("<dt><code>" + l.Name + "</code></dt><dd>" + html.EscapeString(l.Doc) + "</dd>\n")
	}
	b.WriteString("</dl></details>\n<p id=\"none\" hidden>No operation has all these words.</p>\n")
	for _, s := range sections {
		b.WriteString("<section>\n<h2>" + html.EscapeString(s.Name) + "</h2>\n")
		for _, o := range s.Operations {
			operationArticle(&b, o)
		}
		b.WriteString("</section>\n")
	}
	b.WriteString("</main>\n</div>\n<script>" + script + "</script>\n")
	return b.String()
}

// operationArticle is what the reference says of one operation.
func operationArticle(b *strings.Builder, o operation) {
	b.WriteString(`<article class="op" id="` + o.ID + `" data-words="` + html.EscapeString(words(o)) + "\">\n<h3>" +
		html.EscapeString(o.Summary) + "</h3>\n<div class=\"line\"><span class=\"method " + o.Method + `">` + o.Method +
		`</span><span class="path">` + html.EscapeString(o.Path) + "</span>")
	if o.Permission != "" {
		b.WriteString(`<span class="chip">` + html.EscapeString(o.Permission) + "</span>")
	}
	b.WriteString("</div>\n" + prose(o.Doc) + "\n")
	if len(o.Parameters) > 0 {
		b.WriteString("<h4>Parameters</h4>" + fieldList(o.Parameters))
	}
	if len(o.Body) > 0 {
		b.WriteString("<h4>Body</h4>" + prose(o.BodyDoc) + fieldList(o.Body))
	}
	b.WriteString("\n" + folded("Example", "<pre>"+html.EscapeString(o.Example)+"</pre>"))
	for _, a := range o.Answers {
		b.WriteString("<h4>Answer " + a.Status + " " + a.Title + "</h4>\n")
		if len(a.Headers) > 0 {
			b.WriteString(`<p class="dim">With <code>` + strings.Join(a.Headers, "</code>, <code>") + "</code>.</p>\n")
		}
		if len(a.Fields) > 0 {
			b.WriteString(folded("Fields", fieldList(a.Fields)))
		} else {
			b.WriteString("<p class=\"dim\">No body.</p>\n")
		}
		if a.Example != "" {
			b.WriteString(folded("Example", "<pre>"+html.EscapeString(a.Example)+"</pre>"))
		}
	}
	b.WriteString("<h4>Problems</h4>\n<p>")
	for _, r := range o.Refusals {
		for _, code := range r.Codes {
			b.WriteString(`<a class="chip" href="/docs/errors#` + code + `">` + r.Status + " " + code + "</a> ")
		}
	}
	b.WriteString("</p>\n</article>\n")
}

// folded is a part of a page that opens at a click.
func folded(title, inner string) string {
	return "<details><summary>" + title + "</summary>" + inner + "</details>\n"
}

// fieldList is a list of fields or parameters.
func fieldList(fields []field) string {
	var b strings.Builder
	b.WriteString("<dl class=\"fields\">\n")
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
