package field

import (
	"bytes"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// Object is a JSON object with fields of any name, in one spelling: without space between them, the fields sorted by
// name, and numbers with all digits that were sent. nil is one without fields.
type Object []byte

// mostSpelt is how long an object is at most that gets one spelling. A longer one stays as it is: it is refused by
// whoever bounds it.
const mostSpelt = 64 << 10

// Schema describes the type to OpenAPI and to the check of bodies.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// Decoded takes over what was sent: the JSON of a body, or the fields of a form.
func (o *Object) Decoded(v any) (err error) {
	raw, is := v.(json.RawMessage)
	if !is {
		if raw, err = json.Marshal(v); err != nil {
			return err
		}
	}
	if len(raw) > mostSpelt {
		*o = Object(raw)
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var fields map[string]any
	if err = decoder.Decode(&fields); err != nil || len(fields) == 0 {
		return err
	}
	var spelt bytes.Buffer
	encoder := json.NewEncoder(&spelt)
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(fields)
	*o = bytes.TrimSpace(spelt.Bytes())
	return err
}

// MarshalJSON is the object itself.
func (o Object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("{}"), nil
	}
	return o, nil
}
