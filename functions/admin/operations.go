package admin

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/base/words"
	"eshop/shared/catalog"
	"eshop/shared/page"
)

// screen is the content of a page: a template by its name, and the data that fill it.
type screen struct {
	name   string      // of the template
	title  string      // in the visitor's language
	data   any         // what the template is filled with
	above  []page.Link // the pages that it lies below, the first page of the admin left out
	status int         // 0: that of the outcome
	file   []byte      // a CSV of the name, in place of a page
}

// look registers a GET that shows a screen to who is signed in.
func look[I any](d door, path string, view func(c *api.Call, v *visit, in *I) (screen, error)) {
	lookAt(d, path, nil, view)
}

// lookAt is look with parameters of the query that the input I does not have. A list whose filters are wrong is shown
// as without these, with what was typed and its faults in their fields.
func lookAt[I any](d door, path string, query []api.Param,
	view func(c *api.Call, v *visit, in *I) (screen, error)) {
	refused := func(c *api.Call, v *visit, sent page.Sent) (shown screen, err error) {
		v.wrong = map[string]problem.Fault{}
		for _, f := range sent.Faults {
			v.wrong[strings.TrimPrefix(f.Location, "query.")] = f
		}
		in, is := api.Without[I](c, sent.Faults)
		if is {
			shown, err = view(c, v, in)
		}
		if !is || err == nil && len(v.wrong) > 0 { // there is no field that would say so
			err = problem.Invalid(sent.Faults...)
		}
		if err == nil {
			v.note.Not, v.code = v.say("faults"), sent.Code
		}
		return shown, err
	}
	op := api.Op{Route: "GET " + path, Query: query, People: d.forSignedIn(refused)}
	api.AddPage(d.api, op, func(c *api.Call, in *I) (any, error) {
		return view(c, visitOf(c), in)
	})
}

// formScreen shows a screen with a form on it. A form that was refused is shown again with what was sent, and its
// faults; where there is no such screen (nil), a refusal has a page of its own.
type formScreen func(c *api.Call, v *visit, sent page.Sent) (screen, error)

// lookForm registers a GET that shows a form which nobody has sent yet.
func lookForm(d door, path string, form formScreen) {
	look(d, path, func(c *api.Call, v *visit, _ *nothing) (screen, error) { return form(c, v, page.Sent{}) })
}

// lookList registers a GET that shows a list with forms on it. What it returns shows the list again with a form that
// was refused: first is that list, because the query of a POST says nothing of it.
func lookList[I any](d door, path string, first I,
	view func(c *api.Call, v *visit, in I, sent page.Sent) (screen, error)) formScreen {
	look(d, path, func(c *api.Call, v *visit, in *I) (screen, error) { return view(c, v, *in, page.Sent{}) })
	return func(c *api.Call, v *visit, sent page.Sent) (screen, error) { return view(c, v, first, sent) }
}

// firstPage is the first page of a list, of as many records as the API's default says.
var firstPage = api.Paging{ItemsPerPage: 50}

// act registers a POST of somebody who is signed in. do does what it says, and returns where to go on (303).
func act[I any](d door, path string, do func(c *api.Call, v *visit, in *I) (to string, err error),
	form formScreen) {
	op := api.Op{Route: "POST " + path, People: d.forSignedIn(form)}
	actBy(d, op, do)
}

// actBy is act for an operation with properties of its own. do returns where to go on, or a screen.
func actBy[I, R any](d door, op api.Op, do func(c *api.Call, v *visit, in *I) (R, error)) {
	api.AddPage(d.api, op, func(c *api.Call, in *I) (any, error) {
		v := visitOf(c)
		c.By = events.Person(v.admin.ID)
		return do(c, v, in)
	})
}

// says names a text that the next page says, once.
func (v *visit) says(name string) { v.saysOf(name, "") }

// saysOf is says with what was acted on, by the name that people know: "Saved: Earl Grey".
func (v *visit) saysOf(name, of string) { v.next.Said, v.next.Of = name, of }

// maxNamed is how many characters of each of several names are said: what is said travels in a cookie.
const maxNamed = 100

// someOf names some of so many: "Earl Grey, Sencha a 3 další".
func (v *visit) someOf(names []string, all int) string {
	said := make([]string, len(names))
	for i, name := range names {
		said[i] = words.Cut(name, maxNamed)
	}
	text, others := strings.Join(said, ", "), all-len(names)
	switch {
	case others <= 0 || len(names) == 0:
		return text
	case others == 1:
		return text + v.say("others.one")
	}
	form := "others.many"
	if others <= 4 {
		form = "others.few"
	}
	return text + " " + v.say("and") + page.NBSP + v.lang.Number(int64(others)) + page.NBSP + v.say(form)
}

// reveals gives the next page a secret to show, once. what is token, key or link.
func (v *visit) reveals(what, secret string) { v.next.Secret = map[string]string{what: secret} }

// forSignedIn are the people of an operation for which somebody must be signed in.
func (d door) forSignedIn(form formScreen) *api.People {
	return &api.People{Enter: d.enterSignedIn, SignedIn: true,
		Show: func(c *api.Call, w http.ResponseWriter, o api.Outcome) error {
			return d.show(c, w, o, form)
		},
	}
}

// forAnybody are the people of an operation for which nobody needs to be signed in.
func (d door) forAnybody(form formScreen) *api.People {
	return &api.People{Enter: d.enter,
		Show: func(c *api.Call, w http.ResponseWriter, o api.Outcome) error { return d.show(c, w, o, form) },
	}
}

// show answers somebody: an action with the 303 to what came of it, anything else with a page. Its headers keep every
// page out of frames, out of caches, and out of reach of windows that opened it (contract, "Admin").
func (d door) show(c *api.Call, w http.ResponseWriter, outcome api.Outcome,
	form formScreen) error {
	// An error page has these headers, too, whosever it is.
	header := w.Header()
	page.Protect(header)
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cross-Origin-Opener-Policy", "same-origin") // who opens the admin in a window gets no handle of it
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Content-Security-Policy", policy)
	v := visitOf(c)
	if v == nil {
		return page.Shopless(w, outcome.Refused.Status)
	}
	// An operation that did something has an address, one that shows something has a screen.
	if to, is := outcome.Body.(string); is && outcome.Refused == nil {
		return d.lead(c, v, w, to)
	}
	// Whoever wanted to read signs in and comes back. A form that was sent is not sent again by itself.
	if outcome.Refused != nil && outcome.Refused.Code == "unauthenticated" && reads(c.HTTP()) {
		return d.lead(c, v, w, signInPath+"?to="+escaped(c.HTTP().URL.RequestURI()))
	}
	shown, err := d.screen(c, v, outcome, form)
	if err != nil {
		outcome = api.Outcome{Refused: c.Problem(err)}
		shown = v.refused(outcome.Refused)
	}
	if shown.file != nil {
		header.Set("Content-Type", "text/csv; charset=utf-8")
		header.Set("Content-Disposition", `attachment; filename="`+shown.name+`.csv"`)
		_, err = w.Write(shown.file)
		return err
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(cmp.Or(shown.status, outcome.Status()))
	return d.write(w, v, shown)
}

// policy lets a page load its own styles and script, and pictures from anywhere; nothing frames it. blob: is a
// picture that was chosen and not sent yet.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
	"img-src 'self' https: http: data: blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// lead answers with the 303 to an address. What the next page says once goes there in a sealed cookie, never in the
// address: addresses are kept in histories and logs.
func (d door) lead(c *api.Call, v *visit, w http.ResponseWriter, to string) error {
	if v.next.Said != "" || v.next.Not != "" || v.next.Secret != nil {
		// A form can bring the name of what it acts on, so that what is gone needs no reading.
		if of := c.Form().Get("_of"); v.next.Of == "" && len(of) <= 1_020 { // 255 characters, as the longest name
			v.next.Of = of
		}
		note, err := d.notes(v).Close(v.next, d.Random, d.Now())
		if err != nil {
			return err
		}
		c.Cookie(page.Cookie(v.cookie(noteCookie), note, page.NoteLife, v.secure))
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// screen is what somebody is shown: the screen that the operation has made, the form again with its faults, or the page
// of the refusal.
func (d door) screen(c *api.Call, v *visit, outcome api.Outcome,
	form formScreen) (screen, error) {
	if outcome.Refused == nil {
		return outcome.Body.(screen), nil
	}
	// Who is signed out signs in again. What people can mend is shown in the form, and so is what was done in part
	// (saysPart); everything else has a page of its own.
	mendable := page.Mendable(outcome.Refused) || v.note.Not != ""
	switch {
	case outcome.Refused.Code == "unauthenticated":
		return v.signInAgain(c, outcome.Refused)
	case form == nil || !mendable || reads(c.HTTP()) && outcome.Refused.Code != "invalid":
		return v.refused(outcome.Refused), nil
	}
	return form(c, v, v.sent(c, outcome))
}

// signInAgain is the form to sign in, which leads back to the page whose form was sent.
func (v *visit) signInAgain(c *api.Call, refused *problem.Problem) (screen, error) {
	s := page.Sent{Code: refused.Code, Notice: v.notice(refused)}
	if from, err := url.Parse(c.HTTP().Referer()); err == nil && strings.HasPrefix(from.Path+"/", root+"/") {
		s.To = page.LocalPath(from.RequestURI())
	}
	return signInScreen(c, v, s)
}

// sent is a form as it was sent, with what was wrong with it.
func (v *visit) sent(c *api.Call, o api.Outcome) page.Sent {
	s := page.SentForm(o.Form, o.Refused, v.notice)
	s.Shown, s.Faults = o.Shown(), asForm(c.Form(), s.Faults)
	if s.Code == "coupon_invalid" { // its field says why
		s.Why, s.Notice = s.Notice, ""
	}
	return s
}

// fieldOf is the field of a form where people mend a fault that the API has at a place without one.
var fieldOf = map[string]string{ // by the place and the fault's code
	"body.priceLevels " + problem.Required: "body.priceLevels." + catalog.DefaultLevel,
	"body.units " + problem.Required:       "body.units.0.unit",
	"body.units " + problem.Conflicting:    "body.hasUnits",
	"body.owner " + problem.Required:       "body.owner.email",
	"body.urlItem.id " + problem.Unknown:   "body.urlItem",
}

// asForm gives faults the names of a form's fields: body.images[0].url is images.0.url, and a price has the name of its
// level.
func asForm(form url.Values, faults []problem.Fault) []problem.Fault {
	all := slices.Clone(faults)
	// Prices are named by their levels in a form, and by their places in the API.
	sentPrices(form).Over(nil).Name(all)
	for i, f := range all {
		switch field := fieldOf[f.Location+" "+f.Code]; {
		case field != "":
			all[i].Location = field
			continue
		case strings.HasPrefix(f.Location, "body.categoryIds["): // all boxes are one field
			all[i].Location = "body.categoryIds"
			continue
		case strings.HasPrefix(f.Location, "body.priceLevels."), strings.HasPrefix(f.Location, "query."):
			continue // named as its field
		}
		at := strings.NewReplacer("[", ".", "]", "").Replace(f.Location)
		for _, list := range []string{"images", "units", "parameters", "items"} {
			if rest, is := strings.CutPrefix(at, "body."+list+"."); is {
				index, field, _ := strings.Cut(rest, ".")
				at = "body." + list + "." + filledIndex(form, list, index) + "." + field
			}
		}
		all[i].Location = at
	}
	return all
}

// filledIndex is the place in a form of an entry, by the entry's place in the list that was made of the form. They
// differ because empty entries do not come into the list.
func filledIndex(form url.Values, list, index string) string {
	var filled []int
	for name, values := range form {
		rest, is := strings.CutPrefix(name, list+".")
		at, _, _ := strings.Cut(rest, ".")
		n, err := strconv.Atoi(at)
		if is && err == nil && strings.TrimSpace(values[len(values)-1]) != "" && !slices.Contains(filled, n) {
			filled = append(filled, n)
		}
	}
	slices.Sort(filled)
	if n, err := strconv.Atoi(index); err == nil && n < len(filled) {
		return strconv.Itoa(filled[n])
	}
	return index
}

// nothing is the input of an operation that takes nothing.
type nothing struct{}

// formAbout is the input of a form about the record that its address names. What changes a record is an api.Change.
type formAbout[F any] struct {
	api.ByID
	Body F
}
