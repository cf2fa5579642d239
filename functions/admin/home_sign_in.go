package admin

import (
	"cmp"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/page"
	"eshop/shared/people/signin"
)

// Where people sign in and out, and set a password.
const (
	signInPath      = root + "/sign-in"
	signOutPath     = root + "/sign-out"
	setPasswordPath = root + "/set-password"
)

// signIn registers signing in and out, and the page of a link by which a password is set (contract, "People"). Anybody
// may ask for these: whoever compares or makes a password's hash is counted instead.
func (d door) signIn() {
	query := []api.Param{{Name: "to", Most: 4_000}, {Name: "token", Most: 200}}
	api.AddPage(d.api, api.Op{Route: "GET " + signInPath, Query: query, People: d.forAnybody(nil)},
		func(c *api.Call, _ *nothing) (any, error) {
			return signInScreen(c, visitOf(c), page.Sent{To: page.LocalPath(c.Query("to"))})
		})
	api.AddPage(d.api, api.Op{Route: "POST " + signInPath, NeverKept: true, People: d.forAnybody(signInScreen)},
		d.doSignIn)
	api.AddPage(d.api, api.Op{Route: "POST " + signOutPath, NeverKept: true, People: d.forAnybody(nil)}, d.doSignOut)
	api.AddPage(d.api, api.Op{Route: "GET " + setPasswordPath, Query: query, People: d.forAnybody(nil)},
		func(c *api.Call, _ *nothing) (any, error) {
			token := c.Query("token")
			// A link that is not good any more is told before anybody thinks of a password.
			return setPasswordScreen(visitOf(c), page.Sent{Token: token}),
				d.people.CheckLink(c, c.Unit(), token)
		})
	api.AddPage(d.api, api.Op{Route: "POST " + setPasswordPath, Query: query,
		People: d.forAnybody(d.setPasswordRefused)}, d.doSetPassword)
}

// visitor is who asks for something that compares or makes a password's hash: the address and the account are counted.
func visitor(c *api.Call) signin.Visitor {
	return signin.Visitor{Address: c.Address(), Session: visitOf(c).sessionText}
}

// signInForm is a form for people who are not signed in: its fields, and what it is for.
type signInForm struct {
	page.Form
	Fields []page.Field
	Text   string
}

// signInScreen is the form to sign in.
func signInScreen(_ *api.Call, v *visit, s page.Sent) (screen, error) {
	f := v.filler(s)
	fields := []page.Field{f.Email(), f.Password("password", "password", "current-password", page.Must)}
	return screen{name: "sign-in", title: v.say("signIn"), data: signInForm{f.Done(), fields, v.say("signInIs")}}, nil
}

// doSignIn begins a session, and leads to where the visitor was going, on this host only. A wrong password and an
// unknown e-mail have the same answer.
func (d door) doSignIn(c *api.Call, in *api.Create[signin.Form]) (any, error) {
	v := visitOf(c)
	admin, session, err := d.people.SignIn(c, c.Unit(), visitor(c), in.Body)
	if err != nil {
		return nil, err
	}
	c.By = events.Person(admin.ID)
	d.setSession(c, v, session)
	return cmp.Or(page.LocalPath(c.Form().Get("_to")), root), nil
}

// signOutFields say whether all sessions of the person end.
type signOutFields struct {
	Everywhere bool `json:"everywhere,omitempty"`
}

// doSignOut ends this session, or all sessions of the person. Without a session there is nothing to end, and the
// visitor is led on all the same.
func (d door) doSignOut(c *api.Call, in *api.Create[signOutFields]) (any, error) {
	v := visitOf(c)
	err := d.readAdmin(c, v)
	if err == nil {
		c.By = events.Person(v.admin.ID)
	}
	switch {
	case err != nil: // there is nothing to end
	case in.Body.Everywhere:
		err = d.people.SignOutEverywhere(c, c.Unit(), v.session)
	default:
		err = d.people.SignOut(c, c.Unit(), v.sessionText)
	}
	if err != nil && !problem.Is(err, "unauthenticated") {
		return nil, err
	}
	// The cookie goes in any case, also with a session that had ended already.
	d.setSession(c, v, "")
	v.says("signedOut")
	return signInPath, nil
}

// setPasswordScreen is the form by which a person sets a password.
func setPasswordScreen(v *visit, s page.Sent) screen {
	f := v.filler(s)
	fields := []page.Field{f.Password("password", "newPassword", "new-password",
		page.Must).Hinted(v.say("passwordHint"))}
	return screen{name: "set-password", title: v.say("setPassword"),
		data: signInForm{f.Done(), fields, v.say("setPasswordIs")}}
}

// setPasswordRefused is the form with its faults, as long as the link is good.
func (d door) setPasswordRefused(c *api.Call, v *visit, s page.Sent) (screen, error) {
	s.Token = c.HTTP().URL.Query().Get("token") // where the query was refused, too
	return setPasswordScreen(v, s), d.people.CheckLink(c, c.Unit(), s.Token)
}

// newPassword is the form of a link that lets a password be set. The link's token stays in the address.
type newPassword struct {
	Password string `json:"password" minLength:"10" maxLength:"200"`
}

// doSetPassword sets the password, and leads to the form to sign in: a link signs nobody in.
func (d door) doSetPassword(c *api.Call, in *api.Create[newPassword]) (any, error) {
	person, err := d.people.SetPassword(c, c.Unit(), visitor(c), c.Query("token"), in.Body.Password)
	if err == nil {
		c.By = events.Person(person)
	}
	visitOf(c).says("passwordSet")
	return signInPath, err
}
