package events

import "strings"

// Actor is who asked for a change, as a record keeps it: a person of the admin, an add-on or one of the operator's
// tokens, by its id; a shopper without one; "" when nobody knows. It holds no name, so a person's name goes with the
// person, and nothing of a shopper is kept that would have to be erased.
type Actor string

// Shopper is whoever is in a storefront. Developer is whoever writes add-ons, and runs test shops of their own.
const (
	Shopper   Actor = "shopper"
	Developer Actor = "developer"
)

// What an actor begins with that has an id.
const (
	person     = "person:"
	packageOne = "package:"
	operator   = "operator:"
)

// Person is a person of the admin.
func Person(id string) Actor { return Actor(person + id) }

// Operator is one of the operator's tokens, by its id.
func Operator(id string) Actor { return Actor(operator + id) }

// Package is an add-on, by the id of its package; "" of none.
func Package(id string) Actor {
	if id == "" {
		return ""
	}
	return Actor(packageOne + id)
}

// Person is the id of the person who acted; "" if it was none.
func (a Actor) Person() string { return a.after(person) }

// Package is the id of the package of the add-on that acted; "" if it was none.
func (a Actor) Package() string { return a.after(packageOne) }

// By is who acted, in the words that add-ons are told (contract, "Who did it").
type By string

// Self is the add-on that is told, OtherPackage another one; Platform also stands for whoever nobody knows of.
const (
	Self         By = "self"
	OtherPackage By = "package"
	ByAdmin      By = "admin"
	ByShopper    By = "shopper"
	ByOperator   By = "operator"
	Platform     By = "platform"
)

// Bys are all of them, in the contract's order.
var Bys = []By{Self, OtherPackage, ByAdmin, ByShopper, ByOperator, Platform}

// To is who acted as the add-on of a package is told. Test shops are their developer's as others are the operator's.
func (a Actor) To(pkg string) By {
	switch {
	case a.Package() == pkg && pkg != "":
		return Self
	case a.Package() != "":
		return OtherPackage
	case strings.HasPrefix(string(a), person):
		return ByAdmin
	case strings.HasPrefix(string(a), operator), a == Developer:
		return ByOperator
	case a == Shopper:
		return ByShopper
	}
	return Platform
}

// after is what stands behind a prefix; "" if the actor does not begin with it.
func (a Actor) after(prefix string) string {
	id, is := strings.CutPrefix(string(a), prefix)
	if !is {
		return ""
	}
	return id
}
