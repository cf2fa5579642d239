package api

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"eshop/shared/base/guard"
	"eshop/shared/base/problem"
	"eshop/shared/record/field"
)

// People is what an operation has for people's browsers, beside its JSON (contract, "One address, two readers"): who
// comes is known by Enter instead of a token, forms are taken as JSON is, and whoever asks for a page is shown one of
// what the operation came to.
type People struct {
	// Enter knows who comes, before anything else is looked at: it sets the call's Caller (Shop, Website, Locale and
	// Currency), Visitor and Owner. Its error is the answer. What is set is there for Show, whatever became of the
	// call: after an error or a panic, too.
	Enter func(c *Call) error
	// SignedIn says that Enter lets nobody in who is not signed in: only those may send more than strangersMaxBody.
	SignedIn bool
	// Show writes the page of what came of the operation, or the 303 to it. It is given an answer without a status and
	// without headers but those of a problem.
	Show func(c *Call, w http.ResponseWriter, o Outcome) error
}

// Outcome is what an operation came to, for a page that shows it.
type Outcome struct {
	Body    any              // what its handler has answered; nil of a refusal
	Refused *problem.Problem // why it was not done; nil when it was
	Form    url.Values       // all that a form has sent; nil: there was none
}

// Shown is what the form says that its fields were shown as; nil: it says nothing of them.
func (o Outcome) Shown() url.Values {
	var all url.Values
	for name, values := range o.Form {
		if field, is := strings.CutPrefix(name, shownPrefix); is {
			if all == nil {
				all = url.Values{}
			}
			all[field] = values
		}
	}
	return all
}

// Status is the status of the outcome's page: 200, or the refusal's own.
func (o Outcome) Status() int {
	if o.Refused != nil {
		return o.Refused.Status
	}
	return http.StatusOK
}

// AddView registers a GET that answers a page and nothing else. view makes what the operation's Show is given as the
// body. Its query is not checked: people come with what others have put there. It is outside the OpenAPI document.
func (a *API) AddView(op Op, view func(c *Call) (any, error)) {
	a.add(viewOf(op, view), http.NotFoundHandler())
}

// AddPage registers an operation of People that answers pages and nothing else, whoever asks. What it takes, its query
// too, is checked as any operation's is. It is outside the OpenAPI document.
func AddPage[I any](a *API, op Op, handle func(c *Call, in *I) (any, error)) {
	o := newOperation(kindPage, op)
	o.readInput(a, reflect.TypeFor[I]())
	o.handle = func(c *Call) (reply, error) {
		in := new(I)
		if err := o.input.bind(reflect.ValueOf(in).Elem(), c); err != nil {
			return reply{}, err
		}
		v, err := handle(c, in)
		return reply{body: v}, err
	}
	a.add(o, http.NotFoundHandler())
}

// Without binds the call's input anew without the faulty parameters of its query and without a cursor, and keeps that
// query for the call. false: a fault is at no such parameter.
func Without[I any](c *Call, faults []problem.Fault) (*I, bool) {
	asked := maps.Clone(c.query)
	for _, f := range faults {
		name, is := strings.CutPrefix(f.Location, "query.")
		if !is || !c.query.Has(name) {
			return nil, false
		}
		asked.Del(name)
	}
	asked.Del("cursor")
	c.query = asked
	in := new(I)
	return in, c.op.input.bind(reflect.ValueOf(in).Elem(), c) == nil
}

// viewOf is an operation that answers with the page of what view returns.
func viewOf(op Op, view func(c *Call) (any, error)) *operation {
	o := newOperation(kindView, op)
	o.handle = func(c *Call) (reply, error) {
		v, err := view(c)
		return reply{body: v}, err
	}
	return o
}

// formType is the type of a body that a browser's form sends.
const formType = "application/x-www-form-urlencoded"

// isForm says whether the request's body is that of a form.
func isForm(r *http.Request) bool {
	t, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(t), formType)
}

// overrideMethod gives a form's request the method that it means, which a browser cannot send: PATCH or DELETE in its
// field _method. Where its path has an operation of such a method, it reads the body, and puts it back for the
// operation. No body is read for an address that has none.
func (a *API) overrideMethod(c *Call) {
	if c.r.Method != http.MethodPost || !isForm(c.r) {
		return
	}
	var meant *operation
	r := *c.r
	for _, r.Method = range []string{http.MethodPatch, http.MethodDelete} {
		if o := a.at(&r); o != nil && o.People != nil {
			meant = o
		}
	}
	r.Method = c.r.Method
	if meant == nil {
		return
	}
	c.countBody()
	body, err := sized(c.r, meant.MaxBody)
	if c.formErr = err; err != nil {
		return // the operation says so
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if form, err := url.ParseQuery(string(body)); err == nil {
		if m := form.Get("_method"); m == http.MethodPatch || m == http.MethodDelete {
			r.Method = m
		}
	}
	c.r = &r
}

// WantsPage says whether the request is answered by a page: it has sent a form, or accepts HTML and has sent no JSON.
func (c *Call) WantsPage() bool {
	switch {
	case c.op.People == nil:
		return false
	case c.op.kind == kindPage, isForm(c.r):
		return true
	}
	return c.r.Header.Get("Content-Type") == "" && AcceptsHTML(c.r)
}

// AcceptsHTML says whether Accept names HTML, not with q=0. A program's */* is none that asks for a page.
func AcceptsHTML(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		name, q, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), "text/html") {
			return strings.Trim(strings.TrimPrefix(strings.ReplaceAll(q, " ", ""), "q="), "0.") != "" || q == ""
		}
	}
	return false
}

// show makes the answer a page. One that cannot be made is the problem as a program gets it.
func (res *response) show(c *Call, outcome Outcome) {
	res.status = 0
	res.body.Reset()
	clear(res.header)
	if p := outcome.Refused; p != nil {
		for name, v := range p.Header {
			res.header[name] = v
		}
	}
	outcome.Form = c.form
	err := guard.Do(c, func() error { return c.op.People.Show(c, res, outcome) }, "requestId", c.RequestID)
	if err != nil {
		res.problem(c, c.Problem(err))
	}
}

// Cookie sets a cookie with the answer, whatever that is.
func (c *Call) Cookie(cookie *http.Cookie) {
	if v := cookie.String(); v != "" {
		c.cookies = append(c.cookies, v)
	}
}

// HTTP is the request as it came, but for the method that a form means. Its body is read already.
func (c *Call) HTTP() *http.Request { return c.r }

// TakePageParameters takes the parameters of those names, which are the page's own, out of the query, and with them
// those without a value, which forms send of fields that stay empty. A moment of a list without a zone is one of the
// shop's own time.
func (c *Call) TakePageParameters(names ...string) url.Values {
	own := url.Values{}
	rest, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return own // the operation says so
	}
	for name, values := range rest {
		p, takes := c.op.input.query[name]
		switch {
		case slices.Contains(names, name):
			own[name] = values
			delete(rest, name)
		case takes && !slices.ContainsFunc(values, func(v string) bool { return v != "" }):
			delete(rest, name)
		case p.moment:
			for i := range values {
				values[i] = field.NormalizeTime(values[i])
			}
		}
	}
	r := *c.r
	u := *r.URL
	u.RawQuery, r.URL = rest.Encode(), &u
	c.r = &r
	return own
}

// Form is what a form has sent, but for the fields that are as it says that they were shown, in _shown.<field>: they
// are not sent. nil: there was no form.
func (c *Call) Form() url.Values { return withoutUntouched(c.form) }

// Asked is the query of an operation, with what its cursor keeps.
func (c *Call) Asked() url.Values { return c.query }

// PathValue is a part of the path by its name in the operation's route; "" where it has none.
func (c *Call) PathValue(name string) string {
	for i, part := range strings.Split(c.op.path, "/") {
		if part == "{"+name+"}" && i < len(c.path) {
			return c.path[i]
		}
	}
	return ""
}
