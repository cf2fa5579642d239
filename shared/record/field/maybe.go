package field

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Maybe is a field of a merge patch: absent, null, or a value.
type Maybe[T any] struct {
	Sent  bool
	Value T // zero for null
	Null  bool
}

// UnmarshalJSON notes that the field was sent.
func (m *Maybe[T]) UnmarshalJSON(b []byte) error {
	m.Sent = true
	if m.Null = string(b) == "null"; m.Null {
		return nil
	}
	return json.Unmarshal(b, &m.Value)
}

// Schema is that of the value.
func (Maybe[T]) Schema(r huma.Registry) *huma.Schema { return r.Schema(reflect.TypeFor[T](), true, "") }
