package admin

import (
	"cmp"
	"embed"
	"html/template"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/page"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// templateFiles are the templates, each of one area or of a part that areas share.
//
//go:embed templates
var templateFiles embed.FS

// textFiles are the texts of all areas, one file a language.
//
//go:embed texts
var textFiles embed.FS

// texts are all texts of the admin.
var texts = sync.OnceValue(func() page.Texts { return page.Common().With(page.ReadTexts(textFiles)) })

// templates are the templates in each language, read once in a process.
var templates = sync.OnceValue(func() map[page.Language]*template.Template {
	return page.Templates(templateFiles, texts(), page.Languages, assets.Address)
})

// layout is what every page has around its screen.
type layout struct {
	Lang, Title, Shop, Website string
	Environment                string // "" in production, which has no mark
	Languages                  []page.Link
	Name                       string // of who is signed in; "": nobody
	Sections                   []section
	Above                      []page.Link
	Said, Not                  string // what was done before, and what was not
	Code                       string // of what was not; "": it has none
	Secrets                    []secret
	Heading                    string
	Content                    template.HTML
}

// section is a part of the menu: a heading with the links under it.
type section struct {
	Heading string
	Links   []page.Link
}

// secret is shown once: what it is (token, key or link), its text, and what to do with it.
type secret struct{ What, Text, About string }

// write writes a page: the screen by its template, in the layout with the menu, the notes and the mark of the
// environment.
func (d door) write(w io.Writer, v *visit, s screen) error {
	localized := templates()[v.lang]
	var content strings.Builder
	if err := localized.ExecuteTemplate(&content, s.name, s.data); err != nil {
		return err
	}
	frame := layout{Lang: v.lang.Code(), Title: s.title, Heading: s.title, Shop: string(v.shop.Name),
		Website: v.website, Above: s.above, Said: v.said(), Not: v.note.Not, Code: v.code,
		Content: template.HTML(content.String())}
	if !d.Production() {
		frame.Environment = d.Environment
	}
	// The same page in each language. An answer to a form has no such links: its address may be no page's.
	for _, l := range page.Languages {
		if !v.reads { // what answers a form may be at an address that is no page's
			break
		}
		v.query.Set("lang", l.Code()) // the same page otherwise: a link's token, where to go on, a list's filters
		frame.Languages = append(frame.Languages,
			page.Link{Text: l.Name(), Path: v.path + "?" + v.query.Encode(), Code: l.Code(), Current: l == v.lang})
	}
	// A secret comes in the note of the action that has made it, and is on this page only.
	for _, what := range []string{"token", "key", "link"} {
		if text := v.note.Secret[what]; text != "" {
			frame.Secrets = append(frame.Secrets, secret{what, text, v.say("secret." + what)})
		}
	}
	if v.admin != nil {
		frame.Name, frame.Sections = string(v.admin.Name), v.sections()
	}
	return localized.ExecuteTemplate(w, "page", frame)
}

// sections are the menu. The link to the shown page, or to the one that the page lies below, is the current one.
func (v *visit) sections() []section {
	current := ""
	for _, p := range areas() {
		below := p.address != root && strings.HasPrefix(v.path, p.address+"/")
		if p.address != "" && (v.path == p.address || below) && len(p.address) > len(current) {
			current = p.address
		}
	}
	if strings.HasPrefix(v.path, accessesPath+"/") { // an access lies behind its package
		current = packagesPath
	}
	var all []section
	heading := "" // of the section that the last place is in
	for _, one := range areas() {
		if one.address == "" {
			continue
		}
		if len(all) == 0 || one.heading != heading {
			heading = one.heading
			all = append(all, section{Heading: v.say(heading)})
		}
		s := &all[len(all)-1]
		s.Links = append(s.Links, page.Link{Text: v.say(one.name), Path: one.address, Current: one.address == current})
	}
	return all
}

// say is a text in the visitor's language. A name that does not exist is a fault of the program, which a test finds.
func (v *visit) say(name string) string { return texts().Say(v.lang, name) }

// said is what was done before, as its note says it.
func (v *visit) said() string {
	text := v.say(v.note.Said)
	if v.note.Of == "" {
		return text
	}
	return strings.TrimSuffix(text, ".") + ": " + v.note.Of
}

// money is an amount in the shop's currency.
func (v *visit) money(m field.Money) string { return v.lang.Money(m, v.shop.Currency) }

// moment is a moment in the time zone of the shops, to the minute; "–" for none.
func (v *visit) moment(t field.Time) string {
	if t == 0 {
		return "–"
	}
	return v.lang.Moment(t.Go())
}

// second is moment to the second, for attempts, which follow each other within a minute.
func (v *visit) second(t field.Time) string {
	if t == 0 {
		return "–"
	}
	return v.lang.Second(t.Go())
}

// filler makes the fields of a form.
func (v *visit) filler(s page.Sent) *page.Filler {
	if s.Values == nil {
		s.Values = url.Values{}
	}
	return &page.Filler{Language: v.lang, Texts: texts(), Sent: s}
}

// notice says in words what is wrong, where it is of no field.
func (v *visit) notice(p *problem.Problem) string {
	if p.Status >= 500 {
		return v.say("failedIs")
	}
	if reason, is := p.More["reason"].(sale.CouponRefusal); is {
		return v.say("refused.coupon." + string(reason))
	}
	return cmp.Or(v.say("refused."+p.Code), v.say(p.Code), v.say("refusedIs"))
}

// refused is the page of a refusal.
func (v *visit) refused(refusal *problem.Problem) screen {
	name := "refused"
	switch {
	case refusal.Status == 404 && v.path == setPasswordPath:
		name = "overLink"
	case refusal.Status == 404 || refusal.Status == 405:
		name = "notFound"
	case refusal.Status >= 500:
		name = "failed"
	}
	data := struct {
		Code, Text string
		Missing    bool // there is nothing here, and nobody has made a mistake
		Faults     []page.Link
		Again      string // the address of a list without the query that was refused
	}{refusal.Code, v.say(name + "Is"), name == "notFound", nil, ""}
	if v.reads && refusal.Status == http.StatusUnprocessableEntity {
		data.Again = v.path
	}
	if name == "refused" {
		data.Text = v.notice(refusal)
		for _, f := range refusal.Errors {
			data.Faults = append(data.Faults,
				page.Link{Text: f.Location + ": " + texts().FaultIn(v.lang, "", f.Code), Code: f.Code})
		}
	}
	return screen{name: "refused", title: v.say(name), data: data, status: refusal.Status}
}

// escaped is a text as a query holds it.
func escaped(s string) string { return url.QueryEscape(s) }

// list is what every list has: its rows, the fields by which it is filtered, and the address of its next page.
type list struct {
	Filters []page.Field
	More    []page.Field  // those that few need
	Further bool          // whether one of these is filled
	Cut     bool          // there are more records than were looked at
	Kept    []page.Option // what the list is narrowed to beside them, as the fields of a query: Value is of Text
	Asked   bool          // whether one of the fields is filled
	Rows    any
	Empty   bool
	Next    string // "": this is the last one
	First   string // the address without a cursor, where there is one
	None    string // what is said of a list that has nothing, where nothing was asked for
}

// filters are the fields by which a list is filtered. They have the names of the query's parameters, which are the
// names of texts, too: changed[after] is filter.changed.after.
func (v *visit) filters(query url.Values, names ...string) []page.Field {
	var all []page.Field
	for _, name := range names {
		label := strings.Trim(strings.NewReplacer("[", ".", "]", "").Replace(name), ".")
		d := v.filter(query, name, "filter."+label)
		d.ID = "filter-" + strings.ReplaceAll(label, ".", "-")
		if strings.Contains(name, "[") {
			d.Type = "datetime-local"
			if moment, is := api.Moment(d.Value); is { // what is none stays as it was typed
				at := field.At(moment)
				d.Value = at.Local()
			}
		}
		all = append(all, d)
	}
	return all
}

// filter is one of these fields, with what was typed there and what is wrong with it.
func (v *visit) filter(query url.Values, name, label string) page.Field {
	s := page.Sent{Values: query}
	if fault, is := v.wrong[name]; is {
		fault.Location = "body." + name
		s = page.Sent{Values: url.Values{name: v.query[name]}, Faults: []problem.Fault{fault}}
		delete(v.wrong, name)
	}
	return v.filler(s).Named(name, label, "off")
}

// listOf is the list that somebody asked for.
type listOf struct {
	query   url.Values
	path    string
	filters []page.Field // the fields of its filters; nil: it has none
}

// listed is a page of a collection as a list. row makes of each record what the template shows.
func listed[T, R any](v *visit, asked listOf, all api.Items[T], row func(T) R) list {
	rows := make([]R, len(all.Items))
	for i, x := range all.Items {
		rows[i] = row(x)
	}
	shown := list{Rows: rows, Empty: len(rows) == 0,
		None:  cmp.Or(v.say("none."+asked.path[strings.LastIndex(asked.path, "/")+1:]), v.say("nothing")),
		Asked: slices.ContainsFunc(asked.filters, func(f page.Field) bool { return f.Value != "" })}
	for _, f := range asked.filters {
		if f.Name == "externalId" || strings.HasPrefix(f.Name, "changed[") {
			shown.More = append(shown.More, f)
			shown.Further = shown.Further || f.Value != ""
		} else {
			shown.Filters = append(shown.Filters, f)
		}
	}
	if all.NextCursor != "" {
		next := url.Values{"cursor": {all.NextCursor}}
		if n := asked.query.Get("itemsPerPage"); n != "" { // no part of what a cursor keeps
			next.Set("itemsPerPage", n)
		}
		shown.Next = asked.path + "?" + next.Encode()
	}
	if len(shown.Filters) == 0 {
		shown.Filters, shown.More = shown.More, nil
	}
	if v.query.Has("cursor") { // of the query that a cursor keeps it is no part
		shown.First = without(asked.path, asked.query)
	}
	return shown
}

// without is the address of a list with its query, but for these parameters.
func without(path string, query url.Values, names ...string) string {
	q := maps.Clone(query)
	for _, name := range append(names, "lang") {
		q.Del(name)
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// above is the way back to the list that a screen lies below.
func (v *visit) above(name, path string) []page.Link {
	return []page.Link{{Text: v.say(name), Path: path}}
}
