package job

import (
	"cmp"
	"context"
	"errors"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/record/change"
)

// Asker is who has asked for a job: an access of a package on a shop, or, where Access is "", a person of the shop.
type Asker struct {
	Shop    string `json:"-"`
	Access  string `json:"accessId,omitempty"`
	Package string `json:"packageId,omitempty"`
}

// Actor is who that is to others: of a person no more is known.
func (a Asker) Actor() events.Actor { return cmp.Or(events.Package(a.Package), events.Person("")) }

// Callers finds what an access may: addon.Resolver does.
type Callers interface {
	Caller(ctx context.Context, shop, access, pkg string) (*change.Caller, error)
}

// May returns nil if the asker has the permission. A person always has it. What is known of an access is as current as
// the host promises (30 s on AWS); one that lacks it is the problem that a request of the access would have.
func (a Asker) May(ctx context.Context, callers Callers, needs permission.Permission) error {
	if a.Access == "" {
		return nil
	}
	c, err := callers.Caller(ctx, a.Shop, a.Access, a.Package)
	if errors.Is(err, change.ErrUnauthenticated) {
		c, err = &change.Caller{}, nil // the access is gone: one that is not active
	}
	if err != nil {
		return err
	}
	return May(c, needs)
}

// May is nil while the caller's package is active and the caller has the permission; else the problem that a request of
// that caller has.
func May(c *change.Caller, needs permission.Permission) error {
	switch {
	case !c.Active:
		return problem.Forbidden("package_inactive", "The package of this access is not active on the shop.")
	case !c.Has(needs):
		return problem.Lacking(string(needs))
	}
	return nil
}
