package storefront

import (
	"cmp"

	"eshop/shared/api"
	"eshop/shared/people/customer"
	"eshop/shared/people/signin"
	"eshop/shared/record/change"
)

// registerAccount registers the operations on the shopper's own account (contract, "Accounts"). Whatever compares or
// makes a password's hash is counted for each address and each account, because argon2id is dear and passwords can be
// guessed.
func (d door) registerAccount(a *api.API) {
	const tag = "Storefront"
	api.Add(a, d.op(api.Op{Route: "POST /account/register", ID: "registerShopper", Tag: tag,
		Summary: "Register a shopper and sign them in",
		Doc: "Makes an account and signs the shopper in; receivers are told by `customerCreate`. 409 " +
			"`email_taken`; 429 `too_many_tries`.", Refuses: []int{429}},
		registerForm), d.register)
	api.Add(a, d.op(api.Op{Route: "POST /account/sign-in", ID: "signInShopper", Tag: tag,
		Status: 200, NeverKept: true,
		Summary: "Sign a shopper in",
		Doc: "Starts a session in the cookie of the answer. 401 `sign_in_failed`, the same whether the address " +
			"is known; 429 `too_many_tries`.",
		Refuses: []int{401, 429}}, signInForm), d.signIn)
	api.Add(a, d.op(api.Op{Route: "GET /account", ID: "readShopper", Tag: tag,
		Summary: "Read the account of who is signed in",
		Doc:     "Name, addresses and company of the shopper. 401 when nobody is signed in.",
		Refuses: []int{401}}, accountAnswer), d.readAccount)
	api.Add(a, d.op(api.Op{Route: "PATCH /account", ID: "changeShopper", Tag: tag, NeverKept: true,
		Summary: "Change the account of who is signed in",
		Doc: "A new `password` or `email` needs `currentPassword` beside it; a new password ends all other sessions. " +
			"Fires `customerChange`. 429 `too_many_tries` after 20 changes of the account in a minute.",
		Refuses: []int{401, 429}}, accountForm), d.changeAccount)
	api.Add(a, d.op(api.Op{Route: "POST /account/sign-out", ID: "signOutShopper", Tag: tag, Status: 204,
		NeverKept: true,
		Summary:   "Sign the shopper out"},
		signOutForm), d.signOut)
	api.Add(a, d.op(api.Op{Route: "POST /account/set-password", ID: "setShopperPassword", Tag: tag,
		Status:  204,
		Summary: "Set a password by the token of a link",
		Doc: "Sets a first or a forgotten password by the link that the shop gave. 404 for a token that is none, " +
			"was used, or is older than 24 hours.",
		Refuses: []int{404, 429}}, setPasswordForm), d.setPassword)
}

// accounts are the commands on accounts, which count tries at passwords.
func (d door) accounts() customer.Accounts { return customer.NewAccounts(d.tries) }

// visitor is who asks for something that compares or makes a password's hash.
func visitor(c *api.Call) signin.Visitor {
	return signin.Visitor{Address: c.Address(), Session: visitOf(c).sessionText}
}

// account is the answer with the customer as they see themself.
func account(c customer.Customer) *api.Plain[customer.Customer] { return api.PlainOf(c.Shown()) }

// signed runs a command that begins a session, and gives the visitor its cookie. The answer is the customer as they see
// themself.
func (d door) signed(
	c *api.Call, command func(u *change.Unit, v signin.Visitor) (customer.Customer, string, error),
) (*api.Plain[customer.Customer], error) {
	return api.Do(c, account, func(u *change.Unit) (customer.Customer, error) {
		signed, session, err := command(u, visitor(c))
		if err == nil && session != "" {
			d.setSessionCookie(c, session)
		}
		return signed, err
	})
}

// register makes a customer with a password, and signs them in.
func (d door) register(c *api.Call,
	in *api.Create[customer.RegisterForm]) (*api.Plain[customer.Customer], error) {
	return d.signed(c, func(u *change.Unit, v signin.Visitor) (customer.Customer, string, error) {
		return d.accounts().Register(c, u, v, in.Body)
	})
}

// signIn signs a customer in. A wrong password and an unknown e-mail have the same answer, so that nobody learns who is
// a customer.
func (d door) signIn(c *api.Call, in *api.Create[signin.Form]) (*api.Plain[customer.Customer], error) {
	return d.signed(c, func(u *change.Unit, v signin.Visitor) (customer.Customer, string, error) {
		return d.accounts().SignIn(c, u, v, in.Body)
	})
}

// mustBeSigned reads who is signed in; 401 `unauthenticated` when nobody is.
func (d door) mustBeSigned(c *api.Call) (*visit, error) {
	v := visitOf(c)
	if err := d.readCustomer(c, v); err != nil {
		return nil, err
	}
	if v.customer == nil {
		return nil, signin.Unauthenticated()
	}
	return v, nil
}

// readAccount shows customers themselves, without what only the merchant writes: `note` and `priceLevel`.
func (d door) readAccount(c *api.Call, _ *nothing) (*api.Plain[customer.Customer], error) {
	v, err := d.mustBeSigned(c)
	if err != nil {
		return nil, err
	}
	return account(*v.customer), nil
}

// changeOwn is the input of the PATCH of one's own account.
type changeOwn struct {
	Body api.Patch[customer.ProfileForm]
}

// changeAccount merges the body into the customer. A new password ends all other sessions; this visitor gets a new one.
func (d door) changeAccount(c *api.Call, in *changeOwn) (*api.Plain[customer.Customer], error) {
	v, err := d.mustBeSigned(c)
	if err != nil {
		return nil, err
	}
	if err := d.countChange(c); err != nil {
		return nil, err
	}
	return d.signed(c, func(u *change.Unit, by signin.Visitor) (customer.Customer, string, error) {
		edit := func(was customer.ProfileForm) (customer.ProfileForm, error) {
			return api.Apply(c, in.Body, was)
		}
		return d.accounts().ChangeProfile(c, u, by, v.session, edit)
	})
}

// signOut ends the session. The cookie goes only if that worked: otherwise the session would live on unseen.
func (d door) signOut(c *api.Call, _ *nothing) (*api.None, error) {
	done, err := api.Done(c, func(u *change.Unit) error {
		return d.accounts().SignOut(c, u, visitOf(c).sessionText)
	})
	if err == nil {
		d.setSessionCookie(c, "")
	}
	return done, err
}

// PasswordNew is the body by which a password is set. A form leaves the token in its address.
type PasswordNew struct {
	Token    string `json:"token,omitempty" maxLength:"64" doc:"The token of the link. A form may leave it in the address, as the link has it"`
	Password string `json:"password" minLength:"10" maxLength:"200"`
}

// setPassword sets a password by the token of a link that the merchant made. It signs nobody in, and the token is good
// once.
func (d door) setPassword(c *api.Call, in *api.Create[PasswordNew]) (*api.None, error) {
	token := cmp.Or(in.Body.Token, c.HTTP().URL.Query().Get("token"))
	return api.Done(c, func(u *change.Unit) error {
		_, err := d.accounts().SetPassword(c, u, visitor(c), token, in.Body.Password)
		return err
	})
}
