package addon

import (
	"slices"

	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/ports/limit"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// MaxAccesses is how many packages are installed on a shop at most, so that its accesses are read at once.
const MaxAccesses = 1_000

// AccessState of a package on a shop: installed → active ↔ deactivated.
type AccessState string

// The states of an access.
const (
	Installed   AccessState = "installed"
	Active      AccessState = "active"
	Deactivated AccessState = "deactivated"
)

// Next is the state of an access that is to become active or deactivated. One that was never activated stays installed.
func Next(is, to AccessState) AccessState {
	if is == Installed && to == Deactivated {
		return is
	}
	return to
}

// Access is a package installed on a shop: what tokens, receivers and signing keys belong to.
type Access struct {
	record.Head
	Terms
	Token string `json:"-"` // the text of its first token, in the answer that makes it only
}

// Terms are what an access is for, and how far.
type Terms struct {
	Shop    string      `json:"shopId"`
	Package string      `json:"packageId"`
	State   AccessState `json:"state"`
	AccessFields
	APIVersion string `json:"apiVersion"`     // current when it was made; its webhooks carry it
	Test       bool   `json:"test,omitempty"` // it is of a test shop
	SetupFields
	// Unanswered is since when the add-on has not answered packageActivate at its package's systemUrl with 2xx; 0: it
	// has, or its package has no systemUrl.
	Unanswered field.Time `json:"unanswered,omitempty"`
}

// AccessFields are what the operator changes of an access.
type AccessFields struct {
	Permissions field.Permissions `json:"permissions" required:"false" doc:"The permissions of this access, among those of its package; a new access that names none has all of them"`
	Hourly      int64             `json:"hourlyLimit,omitempty" nullable:"true" minimum:"1" maximum:"3600000" doc:"The limit of this access; null for the default"`
	Daily       int64             `json:"dailyLimit,omitempty" nullable:"true" minimum:"1" maximum:"86400000" doc:"The limit of this access; null for the default"`
}

// NewAccess installs a package on a shop.
type NewAccess struct {
	Package string `json:"packageId"`
	AccessFields
	Active *bool `json:"active,omitempty" doc:"Whether the package is activated (true, the default) or only installed (false)"`
}

// within are the fields with permissions that the package has; null stands for all of them.
func (f AccessFields) within(p Package) (AccessFields, error) {
	if f.Permissions == nil {
		f.Permissions = append(field.Permissions{}, p.Permissions...)
	}
	var faults problem.Faults
	check(&faults, f.Permissions, p.Permissions)
	return f, faults.Err()
}

// check refuses limits above the defaults of an access to a test shop: its developer sets them.
func (t Terms) check() error {
	var faults problem.Faults
	for _, l := range []struct {
		at        string
		set, most int64
	}{{"hourlyLimit", t.Hourly, limit.Default.Hourly}, {"dailyLimit", t.Daily, limit.Default.Daily}} {
		if t.Test && l.set > l.most {
			faults.Add(l.at, problem.TooBig, "must be at most %d on a test shop", l.most)
		}
	}
	return faults.Err()
}

// Limits are the access's own or the defaults.
func (a Access) Limits() limit.Limits {
	l := limit.Default
	if a.Hourly != 0 {
		l.Hourly = a.Hourly
	}
	if a.Daily != 0 {
		l.Daily = a.Daily
	}
	return l
}

// EffectivePermissions are the permissions that count: those of the access that its package has as well (contract,
// "Permissions").
func EffectivePermissions(a Access, p Package) []permission.Permission {
	return slices.DeleteFunc(slices.Clone([]permission.Permission(a.Permissions)),
		func(x permission.Permission) bool { return !slices.Contains(p.Permissions, x) })
}
