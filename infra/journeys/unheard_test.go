//go:build clients

package journeys

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unheardOf is a word that today's document does not know: a later version has it where more words may come.
const unheardOf = "unheard_of"

// unheard is a value for each schema of the document that has places where more words may come (x-extensible-enum),
// with a word in each of them that the document does not know. A client that was made today must read them all.
func (g generated) unheard() map[string]any {
	var document struct {
		Components struct{ Schemas map[string]schema }
	}
	b, err := os.ReadFile(filepath.Join(g.dir, "openapi.json"))
	require.NoError(g.t, err)
	require.NoError(g.t, json.Unmarshal(b, &document))
	values := map[string]any{}
	for name, s := range document.Components.Schemas {
		if s.OneOf != nil {
			continue // each of them is a schema of its own
		}
		if v := s.value(document.Components.Schemas); strings.Contains(fmt.Sprint(v), unheardOf) {
			values[name] = v
		}
	}
	require.Greater(g.t, len(values), 30)
	return values
}

// schema is what a schema of the document says of its values.
type schema struct {
	Ref        string `json:"$ref"`
	Type       any
	Format     string
	Const      any
	Words      []string `json:"x-extensible-enum"`
	Enum       []any
	Examples   []any
	Minimum    float64
	Properties map[string]schema
	Items      *schema
	OneOf      []schema
}

// value is a value of the schema with all its fields, and a word that is not heard of wherever one may come.
func (s schema) value(all map[string]schema) any {
	switch {
	case s.Ref != "":
		return all[strings.TrimPrefix(s.Ref, "#/components/schemas/")].value(all)
	case s.OneOf != nil:
		return s.OneOf[0].value(all)
	case s.Words != nil:
		return unheardOf
	case s.Const != nil:
		return s.Const
	case s.Properties != nil:
		o := map[string]any{}
		for name, of := range s.Properties {
			o[name] = of.value(all)
		}
		return o
	case s.Items != nil:
		return []any{s.Items.value(all)}
	case s.Examples != nil:
		return s.Examples[0]
	case s.Enum != nil:
		return s.Enum[0]
	}
	switch {
	case s.Format == "date-time":
		return "2026-11-29T00:00:00.000Z"
	case s.Format == "email":
		return "jana@example.com"
	case s.Format == "uri":
		return "https://example.com/"
	case s.is("integer") || s.is("number"):
		return max(s.Minimum, 1)
	case s.is("boolean"):
		return true
	case s.is("string"):
		return "text"
	}
	return map[string]any{} // anything
}

// is says whether the type is this one, or this one and null.
func (s schema) is(t string) bool {
	types, _ := s.Type.([]any)
	return s.Type == t || slices.Contains(types, any(t))
}

// writesUnheard writes unheard.json, which a journey reads with the client's own reader.
func (g generated) writesUnheard() {
	b, err := json.Marshal(g.unheard())
	require.NoError(g.t, err)
	require.NoError(g.t, os.WriteFile(filepath.Join(g.dir, "unheard.json"), b, 0o600))
}

// declaresUnheard writes unheard.ts: constants of the client's types, which compile if the types let them be.
func (g generated) declaresUnheard(module, typeOf string) {
	var ts strings.Builder
	names := slices.Sorted(maps.Keys(g.unheard()))
	fmt.Fprintf(&ts, module+"\n", strings.Join(names, ", "))
	for name, v := range g.unheard() {
		b, err := json.Marshal(v)
		require.NoError(g.t, err)
		fmt.Fprintf(&ts, "export const %s: "+typeOf+" = %s;\n", "a"+name, name, b)
	}
	require.NoError(g.t, os.WriteFile(filepath.Join(g.dir, "unheard.ts"), []byte(ts.String()), 0o600))
}

// readsUnheardInGo writes a program beside a client's package that reads each value of unheard.json as its type.
func (g generated) readsUnheardInGo(of string) {
	g.writesUnheard()
	var types strings.Builder
	for name := range g.unheard() {
		fmt.Fprintf(&types, "\t%q: new(%s.%s),\n", name, of, name)
	}
	program := fmt.Sprintf(readsUnheard, of, types.String())
	require.NoError(g.t, os.MkdirAll(filepath.Join(g.dir, "unheard"), 0o700))
	require.NoError(g.t, os.WriteFile(filepath.Join(g.dir, "unheard", "main.go"), []byte(program), 0o600))
	require.Contains(g.t, g.run("go", "run", "./unheard"), "done")
}

// readsUnheard is that program, with the package's name and the types. A type may have a Validate, which must let the
// value be.
const readsUnheard = `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"journey/%[1]s"
)

var types = map[string]any{
%[2]s}

func main() {
	var values map[string]json.RawMessage
	b, err := os.ReadFile("unheard.json")
	if err == nil {
		err = json.Unmarshal(b, &values)
	}
	for name, value := range values {
		if err == nil {
			err = json.Unmarshal(value, types[name])
		}
		if v, is := types[name].(interface{ Validate() error }); err == nil && is {
			err = v.Validate()
		}
		back, _ := json.Marshal(types[name])
		if err != nil || strings.Count(string(back), "` + unheardOf + `") != strings.Count(string(value), "` + unheardOf + `") {
			log.Fatal(name, ": ", err, string(back))
		}
	}
	fmt.Println("done")
}
`

// onlyUnheard writes unheard-openapi.json, a document with an operation for each schema of unheard and nothing else:
// to compile a client of the whole takes ogen's users two minutes.
func (g generated) onlyUnheard() {
	var document map[string]any
	b, err := os.ReadFile(filepath.Join(g.dir, "openapi.json"))
	require.NoError(g.t, err)
	require.NoError(g.t, json.Unmarshal(b, &document))
	paths := map[string]any{}
	for name := range g.unheard() {
		body := map[string]any{"application/json": map[string]any{
			"schema": map[string]any{"$ref": "#/components/schemas/" + name}}}
		paths["/"+name] = map[string]any{"get": map[string]any{"operationId": "read" + name,
			"responses": map[string]any{"200": map[string]any{"description": "OK", "content": body}}}}
	}
	document["paths"] = paths
	delete(document, "webhooks")
	delete(document, "security")
	b, err = json.Marshal(document)
	require.NoError(g.t, err)
	require.NoError(g.t, os.WriteFile(filepath.Join(g.dir, "unheard-openapi.json"), b, 0o600))
}

func TestEachWordThatMayGrowIsUnheardOfInAValue(t *testing.T) {
	b, err := os.ReadFile("../../functions/docs/openapi.json")
	require.NoError(t, err)
	g := generated{t: t, dir: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(g.dir, "openapi.json"), b, 0o600))
	values, err := json.Marshal(g.unheard())
	require.NoError(t, err)
	require.GreaterOrEqual(t, strings.Count(string(values), unheardOf), strings.Count(string(b), `"x-extensible-enum"`))
}
