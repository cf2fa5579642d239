package house_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions/docs/openapi"
	"eshop/shared/api"
)

// document is the OpenAPI document, as readers of answers use it.
type document struct{ object }

// at is what stands at a path of names.
func (d document) at(path ...string) any {
	v := any(d.object)
	for _, name := range path {
		o, _ := v.(object)
		v = o[name]
	}
	return v
}

// wrong is what about a value its schema does not allow: a field that is missing or not named, a value of another type,
// or one that is not in the list. "" for a sound one.
func (d document) wrong(schema object, v any, at string) string {
	if ref, is := schema["$ref"].(string); is {
		schema = d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...).(object)
	}
	for _, several := range []string{"oneOf", "anyOf"} {
		if all, is := schema[several].([]any); is {
			why := ""
			for _, one := range all {
				said := d.wrong(one.(object), v, at)
				if said == "" {
					return ""
				}
				why += said + "; "
			}
			return why
		}
	}
	if enum, is := schema["enum"].([]any); is && !slices.Contains(enum, v) {
		return fmt.Sprintf("%s is %v, which is none of %v", at, v, enum)
	}
	kinds, several := schema["type"].([]any)
	if !several {
		kinds = []any{schema["type"]}
	}
	if v == nil {
		if slices.Contains(kinds, any("null")) {
			return ""
		}
		return at + " is null"
	}
	switch x := v.(type) {
	case object:
		return d.wrongIn(schema, x, at)
	case []any:
		for i, entry := range x {
			if why := d.wrong(schema["items"].(object), entry, at+"["+strconv.Itoa(i)+"]"); why != "" {
				return why
			}
		}
	}
	return ""
}

// wrongIn is wrong of an object.
func (d document) wrongIn(schema, o object, at string) string {
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, there := o[name.(string)]; !there {
			return fmt.Sprintf("%s.%s is not there", at, name)
		}
	}
	properties, _ := schema["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(o)) {
		p, named := properties[name].(object)
		if !named && schema["additionalProperties"] == true {
			continue
		}
		if !named {
			return at + "." + name + " is not in the document"
		}
		if why := d.wrong(p, o[name], at+"."+name); why != "" {
			return why
		}
	}
	return ""
}

// TestAnswersAreAsTheDocumentSays: what it calls always there is there, and it names all that is.
func TestAnswersAreAsTheDocumentSays(t *testing.T) {
	w := open(t)
	test := "POST /api-engine/webhooks/{id}/test"
	w.made["POST /api-engine/webhook-deliveries"] = w.ask(test, w.sample(test)).Is(202)
	var d document
	require.NoError(t, json.Unmarshal(openapi.Document(w.API, api.Newest()), &d.object))
	held := 0
	for _, in := range w.API.Inputs() {
		method, path, _ := strings.Cut(in.Route, " ")
		answers, public := d.at("paths", path, strings.ToLower(method), "responses").(object)
		if !public {
			continue
		}
		var body any
		if sample := w.sample(in.Route); sample != nil {
			body = sample
		}
		if in.Multipart {
			p := parts{boundary: "b"}
			for name, v := range body.(object) {
				p.text += fmt.Sprintf("--b\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", name, v)
			}
			p.text += "--b--\r\n"
			body = p
		}
		did := w.try(in.Route, body)
		answer, known := answers[strconv.Itoa(did.status)]
		require.True(t, known, "%s: %d %s", in.Route, did.status, did.text)
		content, has := document{answer.(object)}.at("content", "application/json", "schema").(object)
		if !has {
			continue
		}
		held++
		var v any
		require.NoError(t, json.Unmarshal([]byte(did.text), &v))
		require.Empty(t, d.wrong(content, v, "the answer"), "%s: %s", in.Route, did.text)
	}
	require.Greater(t, held, 60)
}
