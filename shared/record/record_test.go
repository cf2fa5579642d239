package record_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Supplier is a record that no shop has: what the kit promises is shown by it.
type Supplier struct {
	record.Head
	SupplierFields
	Closed bool `json:"closed,omitempty"`
}

type SupplierFields struct {
	Name field.Name `json:"name"`
	Code field.Code `json:"code"`
	Note field.Text `json:"note,omitempty"`
}

func suppliers() *record.Kind[Supplier, SupplierFields] {
	return &record.Kind[Supplier, SupplierFields]{
		PublishedAs: "suppliers",
		Key:         func(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#SUP#" + id, SK: "A"} },
		List:        func(shop string) string { return "S#" + shop + "#SUP" },
		Split:       func(s *Supplier) (*record.Head, *SupplierFields) { return &s.Head, &s.SupplierFields },
		Claims: func(shop string, f SupplierFields) []record.Claim {
			return []record.Claim{{Key: codeKey(shop, string(f.Code)),
				Taken: problem.Conflict("code_taken", "Another supplier has this code.")}}
		},
		Check: func(f SupplierFields) error {
			if f.Note == "forbidden" {
				return problem.InvalidAt("note", problem.BadFormat, "is forbidden")
			}
			return nil
		},
		Groups: func(_, _ SupplierFields) []events.Group { return []events.Group{events.Basic} },
	}
}

func codeKey(shop, code string) store.Key {
	return store.Key{PK: "S#" + shop + "#=SUP#" + code, SK: "A"}
}

// marked are suppliers of which a deletion leaves the record, marked.
func marked() *record.Kind[Supplier, SupplierFields] {
	k := suppliers()
	k.Deletion = &record.Deletion[Supplier]{
		Mark:   func(s *Supplier, _ field.Time) { s.Closed = true },
		Marked: func(s Supplier) bool { return s.Closed },
		Frozen: problem.Conflict("closed", "It is closed."),
	}
	return k
}

const shop = "01SHOP0000000000000000000A"

// world is a table and the door of one caller to it.
type world struct {
	*testing.T
	store.Table
	now     time.Time
	before  func() // once, before the next write
	expects string // the version that the caller expects; "" any
	told    []string
	results []any
}

func open(t *testing.T) *world {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return &world{T: t, Table: db.Table("main"), now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
}

func (w *world) unit() *change.Unit {
	return &change.Unit{Shop: shop, Request: "r", Table: w, Now: func() time.Time { return w.now }, Random: rand.Reader,
		Door: door{w}}
}

type door struct{ *world }

func (d door) Match(version string) error {
	if d.expects != "" && d.expects != version {
		return problem.VersionConflict()
	}
	return nil
}

func (d door) Begin(ctx context.Context, _ time.Duration, ops ...store.Op) error {
	_, err := d.Write(ctx, nil, events.Nothing, ops...)
	return err
}

func (d door) Write(ctx context.Context, result any, c events.Change, ops ...store.Op) (store.Item, error) {
	if before := d.before; before != nil {
		d.before = nil
		before()
	}
	item, err := d.Table.Write(ctx, c, ops...)
	if err == nil {
		d.results = append(d.results, result)
		for _, r := range c.Records {
			d.told = append(d.told, fmt.Sprint(r.Kind, " ", r.Did, " ", r.Groups))
		}
	}
	return item, err
}

// did is what was told since the last call.
func (w *world) did() []string {
	told := w.told
	w.told = nil
	return told
}

func tea() SupplierFields { return SupplierFields{Name: "Tea & Co", Code: "TEA"} }

func to(f SupplierFields) func(SupplierFields) (SupplierFields, error) {
	return func(SupplierFields) (SupplierFields, error) { return f, nil }
}

func TestARecordIsMadeReadChangedAndDeleted(t *testing.T) {
	w, k := open(t), suppliers()
	made, err := k.Create(t.Context(), w.unit(), tea())
	require.NoError(t, err)
	require.Equal(t, field.At(w.now), made.Created)
	require.Equal(t, made.Created, made.Changed)
	require.Equal(t, []string{"suppliers created []"}, w.did())
	require.Equal(t, []any{made}, w.results, "the door learns what the command answers before it is written")
	read, err := k.Read(t.Context(), w, shop, made.ID)
	require.NoError(t, err)
	require.Equal(t, made, read)
	_, err = k.Read(t.Context(), w, "01SHOP0000000000000000000B", made.ID)
	require.True(t, problem.Is(err, "not_found"))
	_, err = k.Read(t.Context(), w, shop, "no id")
	require.True(t, problem.Is(err, "not_found"))

	next := tea()
	next.Note = "since 1990"
	changed, err := k.Change(t.Context(), w.unit(), made.ID, to(next))
	require.NoError(t, err)
	require.Equal(t, made.Created, changed.Created)
	require.Greater(t, changed.Changed, made.Changed, "within one millisecond, too")
	require.Equal(t, []string{"suppliers changed [basic]"}, w.did())
	same, err := k.Change(t.Context(), w.unit(), made.ID, to(next))
	require.NoError(t, err)
	require.Equal(t, changed, same)
	require.Empty(t, w.did(), "what changes nothing writes and tells nothing")

	require.NoError(t, k.Delete(t.Context(), w.unit(), made.ID))
	require.Equal(t, []string{"suppliers deleted []"}, w.did())
	_, err = k.Read(t.Context(), w, shop, made.ID)
	require.True(t, problem.Is(err, "not_found"))
	require.True(t, problem.Is(k.Delete(t.Context(), w.unit(), made.ID), "not_found"))
	item, err := w.Get(t.Context(), k.Key(shop, made.ID))
	require.NoError(t, err)
	require.Empty(t, item[0].Doc, "a tombstone holds nothing of it")
	require.Equal(t, w.now.Add(30*24*time.Hour).Unix(), item[0].Expires)
}

func TestRulesAndVersionsAreHeldBeforeAWrite(t *testing.T) {
	w, k := open(t), suppliers()
	bad := tea()
	bad.Note = "forbidden"
	_, err := k.Create(t.Context(), w.unit(), bad)
	require.True(t, problem.Is(err, "invalid"))
	made, err := k.Create(t.Context(), w.unit(), tea())
	require.NoError(t, err)
	w.did()
	_, err = k.Change(t.Context(), w.unit(), made.ID, to(bad))
	require.True(t, problem.Is(err, "invalid"))
	_, err = k.Change(t.Context(), w.unit(), made.ID,
		func(f SupplierFields) (SupplierFields, error) { return f, errors.New("no form") })
	require.EqualError(t, err, "no form")
	w.expects = "another"
	_, err = k.Change(t.Context(), w.unit(), made.ID, to(SupplierFields{Name: "X", Code: "X"}))
	require.True(t, problem.Is(err, "version_conflict"))
	require.True(t, problem.Is(k.Delete(t.Context(), w.unit(), made.ID), "version_conflict"))
	require.Empty(t, w.did())
}

func TestAClaimedValueIsOneRecordsUntilItGoes(t *testing.T) {
	w, k := open(t), suppliers()
	first, err := k.Create(t.Context(), w.unit(), tea())
	require.NoError(t, err)
	_, err = k.Create(t.Context(), w.unit(), tea())
	require.True(t, problem.Is(err, "code_taken"))
	second, err := k.Create(t.Context(), w.unit(), SupplierFields{Name: "Coffee", Code: "COF"})
	require.NoError(t, err)
	_, err = k.Change(t.Context(), w.unit(), second.ID, to(tea()))
	require.True(t, problem.Is(err, "code_taken"))
	_, err = k.Change(t.Context(), w.unit(), first.ID, to(SupplierFields{Name: "Tea & Co", Code: "T"}))
	require.NoError(t, err)
	found, err := k.Find(t.Context(), w, shop, codeKey(shop, "TEA"))
	require.NoError(t, err)
	require.Nil(t, found, "what is given up is nobody's")
	_, err = k.Change(t.Context(), w.unit(), second.ID, to(tea()))
	require.NoError(t, err)
	require.NoError(t, k.Delete(t.Context(), w.unit(), second.ID))
	left, err := w.Get(t.Context(), codeKey(shop, "TEA"))
	require.NoError(t, err)
	require.Nil(t, left[0], "a claim that nobody wants any more would stay for ever")
	third, err := k.Create(t.Context(), w.unit(), tea())
	require.NoError(t, err, "a deleted record holds nothing")
	found, err = k.Find(t.Context(), w, shop, codeKey(shop, "TEA"))
	require.NoError(t, err)
	require.Equal(t, k.Key(shop, third.ID), found.Key)
}

func TestAChangeBeginsAnewWhenAnotherWasFaster(t *testing.T) {
	w, k := open(t), suppliers()
	made, err := k.Create(t.Context(), w.unit(), tea())
	require.NoError(t, err)
	w.before = func() {
		_, err := k.Change(t.Context(), w.unit(), made.ID, to(SupplierFields{Name: "Other", Code: "TEA"}))
		require.NoError(t, err)
	}
	noted := func(f SupplierFields) (SupplierFields, error) { f.Note = "kept"; return f, nil }
	changed, err := k.Change(t.Context(), w.unit(), made.ID, noted)
	require.NoError(t, err)
	require.Equal(t, SupplierFields{Name: "Other", Code: "TEA", Note: "kept"}, changed.SupplierFields,
		"nothing of either is lost")
	w.before = func() { require.NoError(t, k.Delete(t.Context(), w.unit(), made.ID)) }
	_, err = k.Change(t.Context(), w.unit(), made.ID, to(tea()))
	require.True(t, problem.Is(err, "not_found"))
}

func TestAKindMayMarkWhatIsDeleted(t *testing.T) {
	w, k := open(t), marked()
	made, err := k.Create(t.Context(), w.unit(), tea())
	require.NoError(t, err)
	w.did()
	require.NoError(t, k.Delete(t.Context(), w.unit(), made.ID))
	require.Equal(t, []string{"suppliers deleted []"}, w.did())
	read, err := k.Read(t.Context(), w, shop, made.ID)
	require.NoError(t, err)
	require.True(t, read.Closed)
	require.NoError(t, k.Delete(t.Context(), w.unit(), made.ID))
	require.Empty(t, w.did(), "once is enough")
	_, err = k.Change(t.Context(), w.unit(), made.ID, to(tea()))
	require.True(t, problem.Is(err, "closed"))
	k.Deletion.Frozen = nil
	_, err = k.Change(t.Context(), w.unit(), made.ID, to(tea()))
	require.True(t, problem.Is(err, "not_found"), "a kind that does not say why")
}

func TestAKindMayEraseWhatIsDeleted(t *testing.T) {
	w, k := open(t), suppliers()
	k.Claims, k.Erased = nil, true
	made, err := k.Create(t.Context(), w.unit(), tea())
	require.NoError(t, err)
	w.did()
	w.expects = "another"
	require.True(t, problem.Is(k.Delete(t.Context(), w.unit(), made.ID), "version_conflict"))
	w.expects = ""
	require.NoError(t, k.Delete(t.Context(), w.unit(), made.ID))
	require.Equal(t, []string{"suppliers deleted []"}, w.did())
	item, err := w.Get(t.Context(), k.Key(shop, made.ID))
	require.NoError(t, err)
	require.Nil(t, item[0])
	require.True(t, problem.Is(k.Delete(t.Context(), w.unit(), made.ID), "not_found"))
}

func TestAKindSaysWhatANewRecordIs(t *testing.T) {
	w, k := open(t), suppliers()
	k.Init = func(s *Supplier) { s.Closed = true }
	made, err := k.Create(t.Context(), w.unit(), tea())
	require.NoError(t, err)
	require.True(t, made.Closed)
	read, err := k.Read(t.Context(), w, shop, made.ID)
	require.NoError(t, err)
	require.Equal(t, made, read)
}

func TestAKindAddsToItsWrites(t *testing.T) {
	w := open(t)
	count := store.Key{PK: "S#" + shop + "#SUP", SK: "COUNT"}
	full := problem.Conflict("too_many", "There are two.")
	k := suppliers().With(record.Along[Supplier]{
		Extend: func(_ context.Context, _ *change.Unit, s *record.Step[Supplier]) error {
			if s.Before == nil {
				s.Ops = append(s.Ops,
					store.Update(count, store.Set{Add: map[string]int64{"n": 1}}, store.AtMost("n", 1)))
			}
			return nil
		},
		Explain: func(_ *change.Unit, _ *record.Step[Supplier], refused error) error {
			if _, is := store.Failed(refused, count); is {
				return full
			}
			return refused
		},
	})
	for n := range 3 {
		_, err := k.Create(t.Context(), w.unit(), SupplierFields{Name: "S", Code: field.Code(fmt.Sprint(n))})
		require.Equal(t, n == 2, problem.Is(err, "too_many"), n)
	}
}

func TestAKindLearnsWhatEachTryCameTo(t *testing.T) {
	w := open(t)
	var came []error
	k := suppliers().With(record.Along[Supplier]{
		AfterTry: func(_ context.Context, _ *change.Unit, _ *record.Step[Supplier], err error) {
			came = append(came, err)
		}})
	made, err := k.Create(t.Context(), w.unit(), tea())
	require.NoError(t, err)
	_, taken := k.Create(t.Context(), w.unit(), tea())
	require.NoError(t, k.Delete(t.Context(), w.unit(), made.ID))
	require.Equal(t, []error{nil, taken, nil}, came)
	require.True(t, problem.Is(taken, "code_taken"))
}

func TestRowsAreOnlyOfKindsThatAnImportCanServe(t *testing.T) {
	named := func(shop string, fields map[string]any) store.Key { return codeKey(shop, fields["code"].(string)) }
	row := record.Row{Fields: map[string]any{"code": "TEA", "name": "Tea"}}
	extending := func(add func(*record.Step[Supplier])) record.Along[Supplier] {
		return record.Along[Supplier]{
			Extend: func(_ context.Context, _ *change.Unit, s *record.Step[Supplier]) error { add(s); return nil }}
	}
	for name, along := range map[string]record.Along[Supplier]{
		"Lost": {Explain: func(_ *change.Unit, _ *record.Step[Supplier], refused error) error {
			return refused
		}},
		"After":        {AfterTry: func(context.Context, *change.Unit, *record.Step[Supplier], error) {}},
		"notices":      extending(func(s *record.Step[Supplier]) { s.Notices = append(s.Notices, events.Notice{}) }),
		"another shop": extending(func(s *record.Step[Supplier]) { s.Shop = "01SHOP0000000000000000000B" }),
	} {
		w, k := open(t), suppliers().With(along)
		require.Panics(t, func() {
			records, err := k.Rows(w.unit(), form, named).Read(t.Context(), []record.Row{row})
			require.NoError(t, err)
			_, _, _ = records[0].Plan(t.Context())
		}, name)
	}
}

// form reads a row as its fields are, for a kind whose door is the test.
var form = record.Form[SupplierFields]{
	New:   func(fields map[string]any) (f SupplierFields, err error) { return patched(fields, f) },
	Patch: func(fields map[string]any, f SupplierFields) (SupplierFields, error) { return patched(fields, f) },
}

func patched(fields map[string]any, f SupplierFields) (SupplierFields, error) {
	if fields["bad"] != nil {
		return f, problem.InvalidAt("bad", problem.UnknownField, "is not a field")
	}
	if name, has := fields["name"].(string); has {
		f.Name = field.Name(name)
	}
	if note, has := fields["note"].(string); has {
		f.Note = field.Text(note)
	}
	f.Code = field.Code(fields["code"].(string))
	return f, nil
}

func TestRowsMakeAndChangeRecordsByTheSameRules(t *testing.T) {
	w, k := open(t), suppliers()
	there, err := k.Create(t.Context(), w.unit(), tea())
	require.NoError(t, err)
	named := func(shop string, fields map[string]any) store.Key { return codeKey(shop, fields["code"].(string)) }
	all := []record.Row{
		{Fields: map[string]any{"code": "TEA", "name": "Renamed"}},
		{Fields: map[string]any{"code": "TEA", "name": "Tea & Co"}},
		{Fields: map[string]any{"code": "NEW", "name": "New"}},
		{Fields: map[string]any{"code": "BAD", "bad": "1"}},
		{Fields: map[string]any{"code": "RULES", "name": "Rules", "note": "forbidden"}},
	}
	records, err := k.Rows(w.unit(), form, named).Read(t.Context(), all)
	require.NoError(t, err)

	ops, told, err := records[0].Plan(t.Context())
	require.NoError(t, err)
	require.Equal(t, there.ID, told[0].ID)
	require.Equal(t, events.Changed, told[0].Did)
	_, err = k.Change(t.Context(), w.unit(), there.ID, to(SupplierFields{Name: "Meanwhile", Code: "TEA", Note: "n"}))
	require.NoError(t, err)
	_, err = w.Table.Write(t.Context(), events.Nothing, ops...)
	var refused *store.ConditionError
	require.ErrorAs(t, err, &refused)
	require.NoError(t, records[0].Resolve(t.Context(), refused))
	ops, _, err = records[0].Plan(t.Context())
	require.NoError(t, err)
	_, err = w.Table.Write(t.Context(), events.Nothing, ops...)
	require.NoError(t, err)
	read, err := k.Read(t.Context(), w, shop, there.ID)
	require.NoError(t, err)
	require.Equal(t, SupplierFields{Name: "Renamed", Code: "TEA", Note: "n"}, read.SupplierFields,
		"what the row does not name stays as it is now")

	ops, told, err = records[1].Plan(t.Context())
	require.NoError(t, err)
	require.Empty(t, ops)
	require.Empty(t, told, "a row of what was there changes nothing")

	ops, told, err = records[2].Plan(t.Context())
	require.NoError(t, err)
	require.Equal(t, events.Created, told[0].Did)
	_, err = k.Create(t.Context(), w.unit(), SupplierFields{Name: "Faster", Code: "NEW"})
	require.NoError(t, err)
	_, err = w.Table.Write(t.Context(), events.Nothing, ops...)
	require.ErrorAs(t, err, &refused)
	require.NoError(t, records[2].Resolve(t.Context(), refused))
	_, told, err = records[2].Plan(t.Context())
	require.NoError(t, err)
	require.Equal(t, events.Changed, told[0].Did, "another has made it meanwhile: the row changes that one")

	for _, bad := range records[3:] {
		_, _, err = bad.Plan(t.Context())
		require.True(t, problem.Is(err, "invalid"), "of a form or of the rules")
	}
}
