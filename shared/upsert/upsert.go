// Package upsert is what an import asks of a kind of records: rows by a key, each of which makes a record or changes one,
// under the rules of that kind's POST and PATCH. The kind says what it takes; the import writes it, many rows together.
package upsert

import (
	"context"

	"eshop/events"
	"eshop/shared/store"
)

// Row is what an import brings for one record.
type Row struct {
	Fields map[string]any // the body of a POST or PATCH, as the frame decodes one
	Prices []Price        // of a product: price levels to set, the others staying as they are
}

// Price is the price at one level, as it was sent.
type Price struct {
	Level string
	Price any
}

// Kind is a kind of records of one shop. Its methods are called by one import: Begin and those of records one after the
// other, Read beside them.
type Kind interface {
	// Key is what the row names its record by, spelled as it is compared; "" when it does not.
	Key(r Row) string
	// Read finds what is there under the keys of rows.
	Read(ctx context.Context, rows []Row) ([]Record, error)
	// Begin begins a transaction: what the records planned before have chosen is written, or planned anew.
	Begin()
}

// Record is a row with what was there under its key. An error that is a *problem.Problem is the row's own fault.
type Record interface {
	// Plan is what it takes to write the row and what is told of it: nothing when it changes nothing.
	Plan(ctx context.Context) ([]store.Op, []events.Record, error)
	// Lost looks at conditions of a plan that did not hold: nil to plan again.
	Lost(ctx context.Context, refused *store.ConditionError) error
}
