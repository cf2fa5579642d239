package api

import (
	"encoding/json"
	"reflect"
	"testing"

	"eshop/shared/base/problem"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// patchable is a body of every shape that a patch meets: text, a defaulted one, lists, an object with a required field,
// one that may be absent, and a field of an embedded type.
type patchable struct {
	Rest
	Title  string   `json:"title,omitempty"`
	Active bool     `json:"active" required:"false"`
	Tags   []string `json:"tags,omitempty"`
	Place  *spot    `json:"place,omitempty"`
}

type Rest struct {
	Note  string `json:"note,omitempty"`
	Stock spot   `json:"stock,omitzero"`
}

type spot struct {
	City string `json:"city"`
	Zip  string `json:"zip,omitempty"`
}

func (p *patchable) UnmarshalJSON(b []byte) error {
	type plain patchable
	all := plain{Active: true}
	err := json.Unmarshal(b, &all)
	*p = patchable(all)
	return err
}

var texts = rapid.StringMatching(`[a-c]{1,2}`)

func spots(t *rapid.T, name string) *spot {
	if !rapid.Bool().Draw(t, name+" there") {
		return nil
	}
	s := &spot{City: texts.Draw(t, name+" city")}
	if rapid.Bool().Draw(t, name+" with zip") {
		s.Zip = texts.Draw(t, name+" zip")
	}
	return s
}

func drawn(t *rapid.T) patchable {
	p := patchable{Title: texts.Draw(t, "title"), Active: rapid.Bool().Draw(t, "active"), Place: spots(t, "place")}
	p.Tags, p.Note = rapid.SliceOfN(texts, 0, 2).Draw(t, "tags"), texts.Draw(t, "note")
	if s := spots(t, "stock"); s != nil {
		p.Stock = *s
	}
	return p
}

// changes draws a merge patch of a patchable.
func changes(t *rapid.T) map[string]any {
	value := map[string]func(string) any{
		"title":  func(n string) any { return texts.Draw(t, n) },
		"note":   func(n string) any { return texts.Draw(t, n) },
		"active": func(n string) any { return rapid.Bool().Draw(t, n) },
		"tags":   func(n string) any { return rapid.SliceOfN(texts, 0, 2).Draw(t, n) },
	}
	object := func(n string) any {
		o := map[string]any{}
		for _, part := range []string{"city", "zip"} {
			switch rapid.IntRange(0, 2).Draw(t, n+"."+part) {
			case 0:
				o[part] = texts.Draw(t, n+"."+part+" text")
			case 1:
				o[part] = nil
			}
		}
		return o
	}
	value["place"], value["stock"] = object, object
	patch := map[string]any{}
	for _, name := range []string{"title", "note", "active", "tags", "place", "stock"} {
		switch rapid.IntRange(0, 3).Draw(t, name+" how") {
		case 0:
			patch[name] = value[name](name)
		case 1:
			if name != "active" { // which null cannot clear
				patch[name] = nil
			}
		}
	}
	return patch
}

// wholly is what RFC 7396 makes of the whole body, checked as a POST's.
func wholly(t *rapid.T, a *API, was patchable, raw []byte) (next patchable, faults []problem.Fault) {
	b, err := json.Marshal(was)
	require.NoError(t, err)
	document, err := parse(b)
	require.NoError(t, err)
	patch, err := parse(raw)
	require.NoError(t, err)
	all := merge(document, patch)
	k := checker{registry: a.schemas()}
	k.body(k.registry.Schema(reflect.TypeFor[patchable](), true, ""), nil, all, asWhole)
	b, err = json.Marshal(all)
	require.NoError(t, err)
	if len(k.faults) == 0 {
		require.NoError(t, json.Unmarshal(b, &next))
	}
	return next, k.faults
}

func TestAPatchOfSomeFieldsIsThePatchOfTheWhole(t *testing.T) {
	a := New(Config{})
	rapid.Check(t, func(t *rapid.T) {
		was, patch := drawn(t), changes(t)
		raw, err := json.Marshal(patch)
		require.NoError(t, err)
		before, err := json.Marshal(was)
		require.NoError(t, err)

		want, faults := wholly(t, a, was, raw)
		sent, err := parse(raw)
		require.NoError(t, err)
		got, err := (Patch[patchable]{sent}).apply(a, was)
		if faults != nil {
			require.Equal(t, problem.Invalid(faults...), err)
		} else {
			require.NoError(t, err)
			require.Equal(t, as(t, want), as(t, got))
		}
		after, err := json.Marshal(was)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after), "what was there is not touched")
	})
}

func as(t *rapid.T, p patchable) string {
	b, err := json.Marshal(p)
	require.NoError(t, err)
	return string(b)
}

func TestAFormLeavesARowAsItIs(t *testing.T) {
	form := Form[patchable, patchable](New(Config{}))
	row := map[string]any{"title": "a", "note": nil}
	_, err := form.New(row)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"title": "a", "note": nil}, row,
		"what is null clears once there is a record to change")
}

func TestAFormMakesItsSchemasBeforeTheFirstRequest(t *testing.T) {
	a := New(Config{})
	Form[patchable, leaf](a)
	for _, name := range []string{"Patchable", "Leaf"} {
		require.Contains(t, a.schemas().Map(), name, "requests only read the registry, side by side")
	}
}

func TestAPatchThatIsNoObjectIsRefused(t *testing.T) {
	for _, raw := range []string{`[]`, `"x"`, `1`, `null`} {
		sent, err := parse([]byte(raw))
		require.NoError(t, err)
		_, err = (Patch[patchable]{sent}).apply(New(Config{}), patchable{})
		require.True(t, problem.Is(err, "invalid"), raw)
	}
}
