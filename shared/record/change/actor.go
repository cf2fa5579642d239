package change

import "strings"

// Actor is who asked for a change, as a record keeps it: a person of the admin, an add-on or one of the operator's
// tokens, by its id; a shopper without one; "" when nobody knows. It holds no name, so a person's name goes with the
// person, and nothing of a shopper is kept that would have to be erased.
type Actor string

// Shopper is whoever bought.
const Shopper Actor = "shopper"

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

// Operator is the id of the operator's token that acted; "" if it was none.
func (a Actor) Operator() string { return a.after(operator) }

// after is what stands behind a prefix; "" if the actor does not begin with it.
func (a Actor) after(prefix string) string {
	id, is := strings.CutPrefix(string(a), prefix)
	if !is {
		return ""
	}
	return id
}
