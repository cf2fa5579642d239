package orders

import (
	"cmp"
	"encoding/json"
	"slices"

	"eshop/events"
	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/store"
)

// State is an order state as answers show it, and as its item keeps it.
type State struct {
	ID  string `json:"id"`
	Key string `json:"key,omitempty" doc:"Of the states that every new shop has" example:"shipped"`
	StateFields
	Deleted   bool      `json:"deleted"`
	DeletedAt *api.Time `json:"deletedAt,omitempty"`
	Created   api.Time  `json:"created"`
	Changed   api.Time  `json:"changed"`
	Version   string    `json:"-"` // its time is Changed
}

// StateFields are what a client can write of an order state.
type StateFields struct {
	Name     api.Name `json:"name" example:"Čeká na platbu"`
	Color    api.Line `json:"color,omitempty" example:"#1f9d55"`
	Position int64    `json:"position" required:"false" minimum:"0" maximum:"999999999999" doc:"Behind the others unless it is said; new orders are in the first"`
	Final    bool     `json:"final" required:"false" doc:"No order leaves a final state"`
}

// last is the position of a state that was not given one.
const last = -1

// UnmarshalJSON fills in the default of what is absent.
func (f *StateFields) UnmarshalJSON(b []byte) error {
	type plain StateFields
	p := plain{Position: last}
	err := json.Unmarshal(b, &p)
	*f = StateFields(p)
	return err
}

// UnmarshalJSON reads the fields beside what the platform makes.
func (s *State) UnmarshalJSON(b []byte) error {
	var made struct {
		ID        string    `json:"id"`
		Key       string    `json:"key"`
		Deleted   bool      `json:"deleted"`
		DeletedAt *api.Time `json:"deletedAt"`
		Created   api.Time  `json:"created"`
		Changed   api.Time  `json:"changed"`
	}
	if err := json.Unmarshal(b, &made); err != nil {
		return err
	}
	*s = State{ID: made.ID, Key: made.Key, Deleted: made.Deleted, DeletedAt: made.DeletedAt, Created: made.Created, Changed: made.Changed}
	return s.StateFields.UnmarshalJSON(b)
}

// The keys of the states that a new shop has, in their order. The last two are final, and moving an order into them puts
// its stock back.
const (
	KeyNew        = "new"
	KeyProcessing = "processing"
	KeyShipped    = "shipped"
	KeyDelivered  = "delivered"
	KeyCancelled  = "cancelled"
	KeyReturned   = "returned"
)

// returns says whether moving an order into the state puts its stock back.
func (s State) returns() bool { return s.Key == KeyCancelled || s.Key == KeyReturned }

// seeds are the states of a new shop, with their names in Czech and Slovak.
var seeds = []struct {
	key, cs, sk, color string
	final              bool
}{
	{KeyNew, "Nová", "Nová", "#3b82f6", false},
	{KeyProcessing, "Vyřizuje se", "Vybavuje sa", "#f59e0b", false},
	{KeyShipped, "Odeslána", "Odoslaná", "#8b5cf6", false},
	{KeyDelivered, "Doručena", "Doručená", "#22c55e", false},
	{KeyCancelled, "Stornována", "Stornovaná", "#6b7280", true},
	{KeyReturned, "Vrácena", "Vrátená", "#ef4444", true},
}

// NewStates is what it takes to give a shop its order states in the language of its locale, to be written with the shop;
// it does not hold when it has them already.
func NewStates(c *api.Call, shop, locale string) ([]store.Op, []events.Record) {
	ops := []store.Op{store.Put(store.Item{Key: liveKey(shop), Num: map[string]int64{live: int64(len(seeds))}}, store.Absent())}
	var records []events.Record
	for i, seed := range seeds {
		name := seed.cs
		if locale == "sk_SK" {
			name = seed.sk
		}
		s := State{ID: c.NewID(), Key: seed.key}.at(c.Next(""))
		s.Created = s.Changed
		s.StateFields = StateFields{Name: api.Name(name), Color: api.Line(seed.color), Position: int64(i + 1), Final: seed.final}
		ops, records = append(ops, store.Put(s.item(shop), store.Absent())), append(records, s.record(events.Created))
	}
	return ops, records
}

// at gives the state a version and the moment that goes with it.
func (s State) at(version string) State {
	s.Version, s.Changed = version, access.Changed(version)
	return s
}

// record is what happened to the state.
func (s State) record(did events.Did) events.Record {
	return events.Record{Kind: events.States, ID: s.ID, Did: did, Version: s.Version}
}

// liveOnes are the states that are not deleted, by position.
func liveOnes(all []State) []State {
	left := slices.DeleteFunc(slices.Clone(all), func(s State) bool { return s.Deleted })
	slices.SortStableFunc(left, func(a, b State) int { return cmp.Compare(a.Position, b.Position) })
	return left
}

// behind is the position behind all states that are not deleted.
func behind(all []State) int64 {
	position := int64(0)
	for _, s := range liveOnes(all) {
		position = max(position, s.Position)
	}
	return position + 1
}

// find is the state of an id.
func find(all []State, id string) (State, bool) {
	i := slices.IndexFunc(all, func(s State) bool { return s.ID == id })
	if i < 0 {
		return State{}, false
	}
	return all[i], true
}

func stateDeleted() *api.Problem {
	return api.Refused("state_deleted", "The order state is deleted: no order can move into it.")
}
