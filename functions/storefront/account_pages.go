package storefront

import (
	"cmp"
	"net/http"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/frontend"
	"eshop/shared/page"
)

// The forms about the account, and where each leads when it has done what it says.
var (
	registerForm = answers{page: door.registerPage, done: onward("/account?registered")}
	signInForm   = answers{page: door.signInPage, done: onward("/account")}
	accountForm  = answers{page: door.accountPage,
		done: func(*visit, api.Outcome) string { return "/account?saved" }}
	signOutForm     = answers{done: func(*visit, api.Outcome) string { return "/" }}
	setPasswordForm = answers{page: door.setPasswordPage,
		done: func(*visit, api.Outcome) string { return "/account/sign-in?saved" }}
	accountAnswer = answers{page: door.accountPage}
)

// onward leads to the page that the form names, or else to the address. A form may name paths of this shop only.
func onward(address string) func(*visit, api.Outcome) string {
	return func(_ *visit, o api.Outcome) string { return cmp.Or(page.LocalPath(o.Form.Get("_to")), address) }
}

// newForm shows a form for people without an account: to register, to sign in.
func (d door) newForm(
	c *api.Call, v *visit, outcome api.Outcome, show func(Setting, page.Sent) *AccountPage,
) (response, error) {
	if err := d.readVisitor(c, v); err != nil {
		return response{}, err
	}
	view := d.view(v, frontend.Page{Type: frontend.Account})
	return response{page: show(view, sentAccount(c, view.lang(), outcome))}, nil
}

// sentAccount is one of the forms about an account as it was sent. `to` in its query, where the visitor was going, is
// carried on through the form.
func sentAccount(c *api.Call, l language, outcome api.Outcome) page.Sent {
	sent := sentForm(l, outcome)
	sent.To = cmp.Or(sent.To, page.LocalPath(c.HTTP().URL.Query().Get("to")))
	return sent
}

// registerPage is the form to register.
func (d door) registerPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	return d.newForm(c, v, outcome, Setting.register)
}

// signInPage is the form to sign in. After a password was set by a link it says so.
func (d door) signInPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	return d.newForm(c, v, outcome, func(view Setting, sent page.Sent) *AccountPage {
		sent.Saved = outcome.Form == nil && c.HTTP().URL.Query().Has("saved") // the password, by a link
		return view.signIn(sent)
	})
}

// setPasswordPage is the page of a link. If the link is used or too old, the page says so, with status 404.
func (d door) setPasswordPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	token := cmp.Or(outcome.Form.Get("token"), c.HTTP().URL.Query().Get("token"))
	err := d.accounts().CheckLink(c, c.Unit(), token)
	if problem.Is(err, "not_found") {
		if err := d.readVisitor(c, v); err != nil {
			return response{}, err
		}
		view := d.view(v, frontend.Page{Type: frontend.Other}) // as any 404
		over := view.setPassword(page.Sent{Notice: view.lang().say("link_invalid")})
		return response{status: http.StatusNotFound, page: over}, nil
	}
	if err != nil {
		return response{}, err
	}
	return d.newForm(c, v, outcome, func(view Setting, sent page.Sent) *AccountPage {
		sent.Token = token
		return view.setPassword(sent)
	})
}

// accountPage is the form by which a customer changes their own data.
func (d door) accountPage(c *api.Call, v *visit, outcome api.Outcome) (response, error) {
	return d.ownPage(c, v, func(view Setting) content {
		sent, asked := sentAccount(c, view.lang(), outcome), c.HTTP().URL.Query()
		if outcome.Form == nil {
			sent = fillOwn(sent, v.customer)
			sent.Saved = asked.Has("saved")
		}
		p := view.account(sent)
		p.Registered = outcome.Form == nil && asked.Has("registered")
		return p
	})
}
