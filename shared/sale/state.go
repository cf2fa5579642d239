package sale

import (
	"cmp"
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// OrderState is an order state as answers show it, and as its item keeps it.
type OrderState struct {
	record.Head
	Key string `json:"key,omitempty" doc:"The name for programs of a state that every new shop has; absent of any other" example:"shipped"`
	OrderStateFields
	Deleted   bool        `json:"deleted"`
	DeletedAt *field.Time `json:"deletedAt,omitempty"`
}

// OrderStateFields are what a client can write of an order state.
type OrderStateFields struct {
	Name     field.Name  `json:"name" example:"Čeká na platbu"`
	Color    field.Color `json:"color,omitempty" example:"#1f9d55"`
	Position int64       `json:"position" required:"false" nullable:"true" minimum:"0" maximum:"999999999999" doc:"The place among the states, behind the others unless it is said, or with null; new orders are in the first"`
	Final    bool        `json:"final" required:"false" doc:"Whether the state is final: no order leaves it"`
}

// positionUnset is the position of a state that was not given one.
const positionUnset = -1

// maxPosition is the greatest position, as Position's schema has it.
const maxPosition = 999_999_999_999

// Defaults are the values of what a new state does not say.
func (f *OrderStateFields) Defaults() { f.Position = positionUnset }

// The keys of the states that a new shop has, in their order. The last two are final, and moving an order into them
// puts its stock back.
const (
	KeyNew        = "new"
	KeyProcessing = "processing"
	KeyShipped    = "shipped"
	KeyDelivered  = "delivered"
	KeyCancelled  = "cancelled"
	KeyReturned   = "returned"
)

// Returns says whether moving an order into the state puts its stock back.
func (s OrderState) Returns() bool { return s.Key == KeyCancelled || s.Key == KeyReturned }

// Sent says whether an order in the state is on its way, or was: the state is the one of shipped or of delivered
// orders, or stands behind the shop's first of them and puts no stock back. all are the shop's states.
func (s OrderState) Sent(all []OrderState) bool {
	if s.Returns() || s.ID == "" {
		return false
	}
	if s.Key == KeyShipped || s.Key == KeyDelivered {
		return true
	}
	for _, x := range LiveStates(all) {
		if x.Key == KeyShipped || x.Key == KeyDelivered {
			return !s.Deleted && s.Position > x.Position
		}
	}
	return false
}

// NextState is the live state that has the key; if the shop has none, the first one behind a state by position that
// puts no stock back.
func NextState(all []OrderState, behind OrderState, key string) (OrderState, bool) {
	live := LiveStates(all)
	if i := slices.IndexFunc(live, func(s OrderState) bool { return s.Key == key }); i >= 0 {
		return live[i], true
	}
	i := slices.IndexFunc(live, func(s OrderState) bool {
		return s.Position > behind.Position && s.ID != behind.ID && !s.Returns()
	})
	if i < 0 {
		return OrderState{}, false
	}
	return live[i], true
}

// named are names of a state, by the locales of shops.
type named map[field.Locale]field.Name

// seeds are the states of a new shop.
var seeds = []struct {
	key   string
	names named
	color field.Color
	final bool
}{
	{KeyNew, named{"cs_CZ": "Nová", "sk_SK": "Nová"}, "#3b82f6", false},
	{KeyProcessing, named{"cs_CZ": "Vyřizuje se", "sk_SK": "Vybavuje sa"}, "#f59e0b", false},
	{KeyShipped, named{"cs_CZ": "Odeslána", "sk_SK": "Odoslaná"}, "#8b5cf6", false},
	{KeyDelivered, named{"cs_CZ": "Doručena", "sk_SK": "Doručená"}, "#22c55e", false},
	{KeyCancelled, named{"cs_CZ": "Stornována", "sk_SK": "Stornovaná"}, "#6b7280", true},
	{KeyReturned, named{"cs_CZ": "Vrácena", "sk_SK": "Vrátená"}, "#ef4444", true},
}

// The most order states that a shop has, and that it has with those that are marked as deleted: all are read when an
// order is made.
const (
	maxStates = 100
	maxMarked = 1_000
)

// NewOrderStates is the operations and records by which a new shop gets its order states, with names in the language of
// its locale. They are written with the shop, and do not hold if the shop has states already.
func NewOrderStates(u *change.Unit, shop string, locale field.Locale) ([]store.Op, []events.Record) {
	count := store.Item{Key: liveKey(shop), Num: map[string]int64{live: int64(len(seeds))}}
	ops := []store.Op{store.Put(count, store.Absent())}
	var records []events.Record
	for i, seed := range seeds {
		s := OrderState{Key: seed.key, OrderStateFields: OrderStateFields{Name: seed.names[locale], Color: seed.color,
			Position: int64(i + 1), Final: seed.final}}
		s.ID = u.NewID()
		s.SetVersion(u.NextVersion(""))
		ops = append(ops, store.Put(OrderStates.Item(shop, s), store.Absent()))
		records = append(records, events.Record{Kind: events.States, ID: s.ID, Did: events.Created, Version: s.Version})
	}
	return ops, records
}

// LiveStates are the states that are not deleted, by position.
func LiveStates(all []OrderState) []OrderState {
	left := slices.DeleteFunc(slices.Clone(all), func(s OrderState) bool { return s.Deleted })
	slices.SortStableFunc(left, func(a, b OrderState) int { return cmp.Compare(a.Position, b.Position) })
	return left
}

// nextPosition is the position behind all states that are not deleted; the greatest that there is where one has that.
func nextPosition(all []OrderState) int64 {
	position := int64(0)
	for _, s := range LiveStates(all) {
		position = max(position, s.Position)
	}
	return min(position+1, maxPosition)
}

// fillPosition puts a state whose position is not said behind the others.
func fillPosition(ctx context.Context, u *change.Unit, id string, fields *OrderStateFields) error {
	isNew := id == ""
	if fields.Position != positionUnset && !isNew {
		return nil
	}
	all, err := AllStates(ctx, u.Table, u.Shop)
	if err != nil {
		return err
	}
	if isNew && len(all) >= maxMarked {
		return tooManyStates()
	}
	if fields.Position == positionUnset {
		fields.Position = nextPosition(slices.DeleteFunc(all, func(s OrderState) bool { return s.ID == id }))
	}
	return nil
}

// countStates counts the states that are not deleted with each that is made or deleted.
func countStates(_ context.Context, u *change.Unit, s *record.Step[OrderState]) error {
	count := func(n int64, held store.Condition) {
		s.Ops = append(s.Ops, store.Update(liveKey(u.Shop), store.Set{Add: map[string]int64{live: n}}, held))
	}
	switch {
	case s.Before == nil:
		count(1, store.AtMost(live, maxStates-1))
	case s.After.Deleted:
		count(-1, store.AtLeast(live, 2))
	}
	return nil
}

// whyNoState is why the count did not allow it. A deletion of what others have changed meanwhile is tried again.
func whyNoState(u *change.Unit, s *record.Step[OrderState], refused error) error {
	_, counted := store.Failed(refused, liveKey(u.Shop))
	if !counted {
		return refused
	}
	if s.Before == nil {
		return tooManyStates()
	}
	if _, outdated := store.Failed(refused, StateKey(u.Shop, s.Before.ID)); outdated {
		return refused
	}
	return problem.Conflict("last_state", "It is the only order state left: make another one first.")
}

// tooManyStates is the refusal of one more order state.
func tooManyStates() *problem.Problem {
	return problem.Conflict("too_many_states", "The shop has as many order states as it can have: change one of them.")
}

// FindState is the state of an id.
func FindState(all []OrderState, id string) (OrderState, bool) {
	i := slices.IndexFunc(all, func(s OrderState) bool { return s.ID == id })
	if i < 0 {
		return OrderState{}, false
	}
	return all[i], true
}
