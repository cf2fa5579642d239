package browsertest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"eshop/shared/frontend"
)

// Message is one of the dataLayer.
type Message struct {
	Event     string         `json:"event"`
	EventID   string         `json:"eventId"`
	Timestamp string         `json:"timestamp"`
	Eshop     map[string]any `json:"eshop"`
}

// Told is all that the tab's page was told until now, in its order. It holds the contract and each message against the
// schema, and each eventId against the others. What partners push is left out.
func (p *Tab) Told() []Message {
	p.t.Helper()
	Valid(p.t, "", Eval[string](p, `JSON.stringify(dataLayer[0].eshop)`))
	texts := Eval[[]string](p, `dataLayer.slice(1).filter(m => m.eventId && m.eshop).map(m => JSON.stringify(m))`)
	all, seen := make([]Message, len(texts)), map[string]bool{}
	for i, text := range texts {
		require.NoError(p.t, json.Unmarshal([]byte(text), &all[i]))
		Valid(p.t, all[i].Event, text)
		require.False(p.t, seen[all[i].EventID], "an eventId is there twice: %s", text)
		seen[all[i].EventID] = true
	}
	return all
}

// Events are the names of what the tab's page was told until now, in their order.
func (p *Tab) Events() []string {
	p.t.Helper()
	var all []string
	for _, m := range p.Told() {
		all = append(all, m.Event)
	}
	return all
}

// Last is the detail of the last message of an event.
func (p *Tab) Last(event string) map[string]any {
	p.t.Helper()
	all := p.Told()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Event == event {
			return all[i].Eshop
		}
	}
	require.Fail(p.t, "it was never told", event)
	return nil
}

// Valid holds JSON against the served schema: event "" is the contract without its functions, else it is a message of
// the event.
func Valid(t testing.TB, event, text string) {
	t.Helper()
	at := "eshop.json"
	if event != "" {
		at += "#/$defs/" + event
	}
	compiler, err := schema()
	require.NoError(t, err)
	s, err := compiler.Compile(at)
	require.NoError(t, err, "the schema has no %s", at)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err, text)
	require.NoError(t, s.Validate(value), text)
}

// schema is made anew for each use: a compiler is not made for several at once.
func schema() (*jsonschema.Compiler, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(frontend.Schema.Body))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	return c, c.AddResource("eshop.json", document)
}
