package events

import (
	"fmt"
	"slices"
)

// subject is a kind of record that add-ons hear of by webhooks: the event of each thing that can happen to such a
// record, and the data of their bodies. A new event is told in the words of its kind's row, or not at all.
type subject struct {
	created, changed, deleted Name // "" when add-ons are not told

	field   string                          // of the data: an array with one element for each record
	append  func(b []byte, r Record) []byte // appends the element of a record
	grouped bool                            // calls of changed say what changed, in groups
}

// subjects are the kinds that add-ons hear of. All others are in the change feed only.
var subjects = mustBeSound(map[Kind]subject{
	Customers: {CustomerCreate, CustomerChange, CustomerDelete, "customerIds", appendID, true},
	Products:  {ProductCreate, ProductChange, ProductDelete, "products", appendProduct, true},
	Orders:    {OrderChange, OrderChange, "", "orderIds", appendID, true},
})

// mustBeSound returns the subjects; it panics at the start of the program when one is not sound.
func mustBeSound(all map[Kind]subject) map[Kind]subject {
	if err := sound(all); err != nil {
		panic("events: " + err.Error())
	}
	return all
}

// sound says which kind lacks a field of its own, or has an event that is another's or that nobody can subscribe to.
func sound(all map[Kind]subject) error {
	fields, owners := map[string]Kind{}, map[Name]Kind{}
	for kind, s := range all {
		if s.field == "" || s.append == nil {
			return fmt.Errorf("%s: no field for the data of their events", kind)
		}
		if other, taken := fields[s.field]; taken {
			return fmt.Errorf("%s: their field %s is that of %s", kind, s.field, other)
		}
		fields[s.field] = kind
		for _, name := range []Name{s.created, s.changed, s.deleted} {
			if other, taken := owners[name]; taken && other != kind {
				return fmt.Errorf("%s: their event %s is one of %s", kind, name, other)
			}
			if name != "" && !slices.Contains(Names, name) {
				return fmt.Errorf("%s: nobody can subscribe to their event %q", kind, name)
			}
			if name != "" {
				owners[name] = kind
			}
		}
	}
	return nil
}

// subject is the kind of record that the event is about; false of events of notices, which bring their data.
func (n Name) subject() (subject, bool) {
	for _, s := range subjects {
		if n != "" && (n == s.created || n == s.changed || n == s.deleted) {
			return s, true
		}
	}
	return subject{}, false
}

// Event is the event by which add-ons hear of the record; "" when they do not: categories, URLs, coupons and states are
// in the change feed only.
func (r Record) Event() Name {
	s := subjects[r.Kind]
	switch r.Did {
	case Created:
		return s.created
	case Changed:
		return s.changed
	case Deleted:
		return s.deleted
	}
	return ""
}

// Grouped says whether calls of the event say what changed, and receivers can filter them by it.
func (n Name) Grouped() bool {
	s, _ := n.subject()
	return s.grouped && n == s.changed
}

// appendData appends the "data" of an event about records, which are all of the subject.
func (s subject) appendData(b []byte, records []Record) []byte {
	b = append(appendText(append(b, '{'), s.field), ":["...)
	for i, r := range records {
		b = s.append(comma(b, i), r)
	}
	return append(b, "]}"...)
}

// appendID appends a record that is told by its id alone.
func appendID(b []byte, r Record) []byte { return appendText(b, r.ID) }

// appendProduct appends a product with the variants that it is told of.
func appendProduct(b []byte, r Record) []byte {
	b = append(appendText(append(b, `{"id":`...), r.ID), `,"variantIds":[`...)
	for i, v := range r.Variants {
		b = appendText(comma(b, i), v)
	}
	return append(b, "]}"...)
}
