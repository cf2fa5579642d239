package record

import (
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Row is what an import brings for one record.
type Row struct {
	Fields map[string]any // the body of a POST or PATCH, decoded
}

// MaxRowKey is how many bytes of the key in a row are looked up: more than a code or an e-mail address can have.
const MaxRowKey = 1000

// Upserts are the records of one kind and shop as the rows of an import make and change them, by a key, under the rules
// of that kind's POST and PATCH. They say what each row takes; the import writes it, many rows together. Its methods
// are called by one import: Begin and those of an Upsert one after the other, Read beside them.
type Upserts interface {
	// Key is what the row names its record by, spelled as it is compared; "" when it does not.
	Key(r Row) string
	// Read finds what is there under the keys of rows. If that is much, it finds it for the first rows only, at least
	// for one.
	Read(ctx context.Context, rows []Row) ([]Upsert, error)
	// Begin begins a transaction: what the rows planned before have chosen is written, or planned anew.
	Begin()
}

// Upsert is a row with what was there under its key. An error that is a *problem.Problem is the row's own fault.
type Upsert interface {
	// Plan is the operations that write the row, and the records that are published of it; neither if the row changes
	// nothing.
	Plan(ctx context.Context) ([]store.Op, []events.Record, error)
	// Resolve looks at conditions of a plan that did not hold: nil when the row is to be planned anew.
	Resolve(ctx context.Context, refused *store.ConditionError) error
}

// Form is how a door reads the fields of a row, decoded from JSON or from the cells of a file: as a new record's, or as
// a merge patch of an existing one. Faults are a *problem.Problem.
type Form[F any] struct {
	// Parse decodes a line that is JSON, as strictly as a request's body.
	Parse func(ctx context.Context, line []byte) (any, error)

	New   func(fields map[string]any) (F, error)
	Patch func(fields map[string]any, current F) (F, error)
}

// Rows are a shop's records as the rows of an import make and change them. claim is the claim of the value by which a
// row names its record; the zero key if it names none. It is for kinds without Explain, AfterTry and notices: an import
// writes many rows together, publishes them itself, and calls none of these.
func (k *Kind[R, F]) Rows(
	u *change.Unit, form Form[F], claim func(shop string, fields map[string]any) store.Key,
) Upserts {
	if slices.ContainsFunc(k.Along, func(a Along[R]) bool { return a.Explain != nil || a.AfterTry != nil }) {
		panic("record: " + string(k.PublishedAs) + " cannot be rows of an import: their kind has Explain or AfterTry")
	}
	return &rows[R, F]{kind: k, unit: u, form: form, claim: claim}
}

// rows makes a shop's records of the rows of an import.
type rows[R, F any] struct {
	kind  *Kind[R, F]
	unit  *change.Unit
	form  Form[F]
	claim func(shop string, fields map[string]any) store.Key
}

// row is one row of a file: what it makes of the record that it names, or a new one.
type row[R, F any] struct {
	*rows[R, F]
	Row
	stored *R     // the record as it was read; nil: the row makes a new one
	fields F      // what the record is to have
	fault  error  // the row's own
	id     string // of the record
	claims *Claims
}

// Begin has nothing to do: these rows share nothing.
func (s *rows[R, F]) Begin() {}

// Key is what two rows have in common that name the same record.
func (s *rows[R, F]) Key(r Row) string { return s.claim(s.unit.Shop, r.Fields).PK }

// Read finds the records that rows name, all of them: a record of this kind is small.
func (s *rows[R, F]) Read(ctx context.Context, all []Row) ([]Upsert, error) {
	found := each.Of(all, func(r Row) *row[R, F] { return &row[R, F]{rows: s, Row: r} })
	return each.Of(found, func(r *row[R, F]) Upsert { return r }), s.load(ctx, found...)
}

// load reads the records that rows name: their claims in one call, the records in a second. Then it checks each row
// against the rules: as a POST if there is no such record, else as a PATCH of it.
func (s *rows[R, F]) load(ctx context.Context, all ...*row[R, F]) error {
	claims, named := []store.Key{}, []*row[R, F]{}
	for _, r := range all {
		r.stored, r.claims, r.id = nil, nil, s.unit.NewID()
		if key := s.claim(s.unit.Shop, r.Fields); key.PK != "" {
			claims, named = append(claims, key), append(named, r)
		}
	}
	holders, err := store.GetAll(ctx, s.unit.Table, claims)
	if err != nil {
		return err
	}
	keys := each.Of(holders, func(claim *store.Item) store.Key { return s.kind.Key(s.unit.Shop, Owner(claim)) })
	items, err := store.GetAll(ctx, s.unit.Table, keys)
	if err != nil {
		return err
	}
	for i, item := range items {
		if Missing(item) {
			continue
		}
		stored, err := s.kind.Decode(item)
		if err != nil {
			return err
		}
		head, _ := s.kind.Split(&stored)
		named[i].stored, named[i].id = &stored, head.ID
	}
	for _, r := range all {
		if r.stored == nil {
			r.fields, r.fault = s.form.New(r.Fields)
			continue
		}
		_, fields := s.kind.Split(r.stored)
		r.fields, r.fault = s.form.Patch(r.Fields, *fields)
	}
	return nil
}

// Plan is what it takes to write the row: nothing when it changes nothing.
func (r *row[R, F]) Plan(ctx context.Context) ([]store.Op, []events.Record, error) {
	if r.fault != nil {
		return nil, nil, r.fault
	}
	var step *Step[R]
	var err error
	if r.stored == nil {
		step, err = r.kind.create(ctx, r.unit, r.id, r.fields)
	} else {
		step, err = r.kind.change(ctx, r.unit, *r.stored, r.fields)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(step.Notices) > 0 || len(step.Ops) > 0 && step.Shop != r.unit.Shop {
		panic("record: " + string(r.kind.PublishedAs) +
			" cannot be rows of an import: they have notices, or another shop")
	}
	if r.claims == nil {
		r.claims = &step.claims
	}
	return append(r.claims.Operations(), step.Ops...), step.Records, nil
}

// Resolve takes over claims that are free, and reads anew what others have made or changed meanwhile.
func (r *row[R, F]) Resolve(ctx context.Context, refused *store.ConditionError) error {
	if _, changed := store.Failed(refused, r.kind.Key(r.unit.Shop, r.id)); changed {
		return r.load(ctx, r)
	}
	taken := r.claims.Resolve(ctx, r.unit.Table, refused)
	if taken == nil || r.stored != nil {
		return taken
	}
	made, err := r.kind.Find(ctx, r.unit.Table, r.unit.Shop, r.claim(r.unit.Shop, r.Fields))
	if err != nil {
		return err
	}
	if made == nil {
		return taken // another value of the row is another record's
	}
	return r.load(ctx, r)
}
