package api

import (
	"encoding/json"
	"testing"

	"eshop/shared/record/field"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// leafOf draws a leaf with every kind of value, some of them absent.
func leafOf(t *rapid.T, depth int) leaf {
	l := leaf{Text: field.Line(texts.Draw(t, "text")), Count: rapid.Int64().Draw(t, "count"),
		Share: rapid.Float64().Draw(t, "share"), Is: rapid.Bool().Draw(t, "is")}
	for range rapid.IntRange(0, 2).Draw(t, "tags") {
		l.Tags = append(l.Tags, field.Code(rapid.SampledFrom([]string{"a", "ž\nb", `"\\`}).Draw(t, "tag")))
	}
	if depth > 0 && rapid.Bool().Draw(t, "within") {
		under := leafOf(t, depth-1)
		l.Under, l.Leaves = &under, []leaf{leafOf(t, depth-1)}
	}
	return l
}

func TestADecodedBodyFillsATypeAsItsJSONDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := leafOf(t, 2)
		body, err := json.Marshal(want)
		require.NoError(t, err)
		v, err := parse(body)
		require.NoError(t, err)
		var got leaf
		require.NoError(t, Fill(&got, v))
		require.Equal(t, want, got)
	})
}

// defaulted says itself what it is when a body does not.
type defaulted struct {
	Active bool        `json:"active"`
	Tags   []string    `json:"tags"`
	Within []defaulted `json:"within"`
	Under  *defaulted  `json:"under"`
	Hidden int         `json:"-"`
	Bare   int
}

func (d *defaulted) Defaults() { d.Active, d.Tags = true, []string{} }

func TestWhatABodyDoesNotSayOrSaysNullIsTheTypesDefault(t *testing.T) {
	plain := defaulted{Active: true, Tags: []string{}}
	for body, want := range map[string]defaulted{
		`{}`:                           plain,
		`{"active":null,"tags":null}`:  plain,
		`{"-":1,"":1,"Bare":1}`:        plain,
		`{"active":false}`:             {Tags: []string{}},
		`{"within":[{},{}]}`:           {Active: true, Tags: []string{}, Within: []defaulted{plain, plain}},
		`{"within":null,"under":null}`: plain,
		`{"under":{}}`:                 {Active: true, Tags: []string{}, Under: &plain},
	} {
		v, err := parse([]byte(body))
		require.NoError(t, err)
		var got defaulted
		require.NoError(t, Fill(&got, v))
		require.Equal(t, want, got, body)
	}
}

func TestAValueThatDoesNotFitATypeIsAnErrorAndNoPanic(t *testing.T) {
	for _, body := range []string{`1`, `"x"`, `[]`, `{"active":1}`, `{"tags":[1]}`, `{"tags":{}}`, `{"within":[[]]}`,
		`{"under":true}`} {
		v, err := parse([]byte(body))
		require.NoError(t, err)
		require.Error(t, Fill(&defaulted{}, v), body)
	}
	var small struct {
		N int8 `json:"n"`
	}
	require.Error(t, Fill(&small, map[string]any{"n": json.Number("1000")}))
	require.Error(t, Fill(&small, map[string]any{"n": json.Number("1.5")}))
}
