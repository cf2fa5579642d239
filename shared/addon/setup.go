package addon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"eshop/shared/base/egress"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// SetupState is how far an add-on is with its set-up on a shop.
type SetupState string

// The states of a set-up. If the package has a systemUrl, a new access and one that was activated again are in progress
// until packageActivate was answered with 2xx. Any other access is done. Once the add-on has said how far it is, that
// counts instead.
const (
	SetupDone       SetupState = "done"
	SetupInProgress SetupState = "in_progress"
	SetupRequired   SetupState = "required"
)

// SetupFields are what an add-on says of its set-up on a shop. Nothing is stored until it says something.
type SetupFields struct {
	Setup    SetupState `json:"setup,omitempty" required:"true" enum:"done,in_progress,required" doc:"How far your set-up on this shop is: required says that it waits for the shop's admin" example:"required"`
	SetupURL field.URL  `json:"setupUrl,omitempty" doc:"Where the shop's admin goes on with it, https; none when it is done" example:"https://addon.example/setup"`
}

// state is how far the set-up is by what the add-on has said; done when it has said nothing.
func (f SetupFields) state() SetupState { return cmp.Or(f.Setup, SetupDone) }

// SetupShown is how far the set-up is, as answers show it.
func (t Terms) SetupShown() SetupState {
	if t.Unanswered != 0 {
		return SetupInProgress
	}
	return t.state()
}

// check refuses fields that break the rules. It does not judge an address again that was there before.
func (f SetupFields) check(callable egress.Rules, was SetupFields) error {
	var faults problem.Faults
	switch f.state() {
	case SetupInProgress, SetupRequired:
		if f.SetupURL != "" && f.SetupURL != was.SetupURL {
			checkSetupURL(&faults, callable, string(f.SetupURL))
		}
	case SetupDone:
		if f.SetupURL != "" {
			faults.Add("setupUrl", problem.Conflicting, "is for a set-up that is not done")
		}
	default:
		faults.Add("setup", problem.BadFormat, "must be one of done, in_progress, required")
	}
	return faults.Err()
}

// checkSetupURL adds a fault for an address that may not be shown to a shop's admin. The rules are those of addresses
// that the platform calls; but no name is looked up, because it is the admin's browser that goes there.
func checkSetupURL(faults *problem.Faults, callable egress.Rules, address string) {
	if !field.WebAddress(address) {
		faults.Add("setupUrl", problem.BadFormat, field.WebAddressRule)
	} else if err := callable.Check(address); err != nil {
		faults.Add("setupUrl", problem.BadFormat, "cannot be shown: %s", err.Error())
	}
}

// SetUp stores the set-up that next returns for the access's terms, as its add-on says it: whoever says that has heard
// of the activation. It refuses a setupUrl that callable forbids, and publishes no event.
func SetUp(ctx context.Context, u *change.Unit, callable egress.Rules, access string,
	next func(Terms) (SetupFields, error),
) (Access, error) {
	return Accesses.Change(ctx, u, access, func(terms Terms) (Terms, error) {
		f, err := next(terms)
		if err != nil {
			return terms, err
		}
		if err := f.check(callable, terms.SetupFields); err != nil {
			return terms, err
		}
		terms.SetupFields, terms.Unanswered = f, 0
		return terms, nil
	})
}

// Answered notes that the add-on has answered the packageActivate that carries this install code, and takes over what
// the answer says of the set-up. It does nothing once the package was deactivated since. If the add-on has said
// something by PATCH meanwhile, that stays, because it is newer. If what the answer says is not valid, it is not taken
// over, and the error is a problem; the activation counts as answered all the same.
func Answered(ctx context.Context, u *change.Unit, callable egress.Rules, c InstallCode, answer []byte) error {
	said, _, refused := SetupIn(answer)
	_, err := Accesses.Change(ctx, u, c.Access, func(terms Terms) (Terms, error) {
		lasts, err := terms.ActivatedBy(ctx, u.Table, c.Activation)
		if err != nil || !lasts {
			return terms, err
		}
		if terms.Setup == "" && refused == nil {
			if refused = said.check(callable, terms.SetupFields); refused == nil {
				terms.SetupFields = said
			}
		}
		terms.Unanswered = 0
		return terms, nil
	})
	return errors.Join(err, refused)
}

// SetupIn is what an add-on's answer to packageActivate says of its set-up. is tells whether the answer is a JSON
// object with `setup` at all; one that is cut because it is too long is none. err says why what it says is not valid.
func SetupIn(answer []byte) (said SetupFields, is bool, err error) {
	var object map[string]any
	if json.Unmarshal(answer, &object) != nil {
		return said, false, nil
	}
	setup, is := object["setup"]
	if !is {
		return said, false, nil
	}
	state, isText := setup.(string)
	if !isText || state == "" {
		return said, true, problem.InvalidAt("setup", problem.WrongType, "must be a text")
	}
	said.Setup = SetupState(state)
	switch address := object["setupUrl"].(type) {
	case nil:
	case string:
		said.SetupURL = field.URL(address)
	default:
		return said, true, problem.InvalidAt("setupUrl", problem.WrongType, "must be a text")
	}
	return said, true, nil
}

// ActivatedBy says whether the package is active on the shop, and was not deactivated since the activation whose
// webhook has this id.
func (t Terms) ActivatedBy(ctx context.Context, table store.Table, activation string) (bool, error) {
	if t.State != Active {
		return false, nil
	}
	items, err := table.Get(ctx, tallyKey(t.Shop, t.Package))
	return err == nil && !deactivatedSince(items[0], activation), err
}

// deactivatedSince says whether the package of this tally was deactivated since the activation whose webhook has this
// id.
func deactivatedSince(tally *store.Item, activation string) bool {
	return tally != nil && id.Time(activation).UnixMilli() < tally.Num[numDeactivated]
}
