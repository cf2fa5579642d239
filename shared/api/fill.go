package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Decoded is implemented by bodies that read the decoded JSON value themselves: objects are map[string]any, numbers
// json.Number.
type Decoded interface{ Decoded(v any) error }

// Fill sets what to points at to a decoded value, as encoding/json would from its JSON. What is null or absent is left
// as the type's Defaults have it.
func Fill(to, v any) error { return new(filler).fill(reflect.ValueOf(to).Elem(), v) }

// filler makes values of Go types out of decoded ones. The zero value is ready.
type filler struct{ text []byte }

// fill is Fill of a value that can be set.
func (f *filler) fill(to reflect.Value, value any) error {
	if to.Kind() == reflect.Pointer {
		if value == nil {
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return f.fill(to.Elem(), value)
	}
	p := to.Addr().Interface()
	// Defaults come first, and what is sent goes over them.
	if d, has := p.(interface{ Defaults() }); has {
		d.Defaults()
	}
	switch reads := p.(type) {
	case Decoded:
		return reads.Decoded(value)
	case json.Unmarshaler:
		text, err := f.json(value)
		if err != nil {
			return err
		}
		return reads.UnmarshalJSON(text)
	}
	object, isObject := value.(map[string]any)
	list, isList := value.([]any)
	switch {
	case value == nil:
		return nil
	case isObject && to.Kind() == reflect.Struct:
		return f.fields(to, object)
	case isObject && to.Kind() == reflect.Map:
		to.Set(reflect.MakeMapWithSize(to.Type(), len(object)))
		for name, x := range object {
			named := reflect.New(to.Type().Elem()).Elem()
			if err := f.fill(named, x); err != nil {
				return err
			}
			to.SetMapIndex(reflect.ValueOf(name), named)
		}
		return nil
	case isList && to.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
		for i, x := range list {
			if err := f.fill(to.Index(i), x); err != nil {
				return err
			}
		}
		return nil
	}
	return setScalar(to, value)
}

// fields sets the fields of a struct that an object names.
func (f *filler) fields(to reflect.Value, object map[string]any) error {
	all := jsonFieldsOf(to.Type())
	for name, v := range object {
		// Unknown names are passed over, as encoding/json does. The check has refused them before.
		if at, known := all[name]; known {
			if err := f.fill(to.FieldByIndex(at.index), v); err != nil {
				return err
			}
		}
	}
	return nil
}

// setScalar sets a text, a truth value or a number.
func setScalar(to reflect.Value, value any) error {
	switch x := value.(type) {
	case string:
		if to.Kind() == reflect.String {
			to.SetString(x)
			return nil
		}
	case bool:
		if to.Kind() == reflect.Bool {
			to.SetBool(x)
			return nil
		}
	case json.Number:
		if n, err := x.Int64(); to.CanInt() && err == nil && !to.OverflowInt(n) {
			to.SetInt(n)
			return nil
		}
		if n, err := x.Float64(); to.CanFloat() && err == nil {
			to.SetFloat(n)
			return nil
		}
	}
	return fmt.Errorf("api: a %T does not fit a %s", value, to.Type())
}

// json is the JSON of a decoded value, for a type that reads its own. It is valid until the next.
func (f *filler) json(v any) (_ []byte, err error) {
	text, is := v.(string)
	if !is {
		return json.Marshal(v)
	}
	f.text, err = jsontext.AppendQuote(f.text[:0], text)
	return f.text, err
}

// jsonField is where a type has a field of its JSON, and whether that is absent when it is zero.
type jsonField struct {
	index []int
	omits bool
}

var jsonFields sync.Map // reflect.Type → map[string]jsonField

// jsonFieldsOf are the fields of a struct by the names of its JSON. The fields of an embedded type count as its own.
func jsonFieldsOf(t reflect.Type) map[string]jsonField {
	if known, ok := jsonFields.Load(t); ok {
		return known.(map[string]jsonField)
	}
	all := map[string]jsonField{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			all[name] = jsonField{f.Index, strings.Contains(options, "omit")}
		}
	}
	jsonFields.Store(t, all)
	return all
}
