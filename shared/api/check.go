package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"eshop/shared/field"

	"github.com/danielgtaylor/huma/v2"
)

// maxFaults bounds the answer to a body that is wrong everywhere.
const maxFaults = 100

// checker holds a body against its schema and names each fault by the contract's codes.
type checker struct {
	registry huma.Registry
	faults   []Fault
}

// body checks a whole body. out is the schema of the answer: a field that is only there is read-only. Of a merge patch
// nothing is required, and null clears what may be absent.
func (k *checker) body(in, out *huma.Schema, v any, patch bool) {
	k.value(in, out, "body", v, patch)
}

func (k *checker) resolve(s *huma.Schema) *huma.Schema {
	for s != nil && s.Ref != "" {
		s = k.registry.SchemaFromRef(s.Ref)
	}
	return s
}

func (k *checker) fault(at, code string, v any, message string, args ...any) {
	if len(k.faults) < maxFaults {
		k.faults = append(k.faults, Fault{Location: at, Code: code, Message: fmt.Sprintf(message, args...), Value: shown(v)})
	}
}

// shown is the value as a fault repeats it: scalars only, and short.
func shown(v any) any {
	switch x := v.(type) {
	case string:
		if len(x) <= 100 {
			return x
		}
	case bool, json.Number:
		return x
	}
	return nil
}

func (k *checker) value(s, out *huma.Schema, at string, v any, patch bool) {
	s, out = k.resolve(s), k.resolve(out)
	if v == nil && s.Nullable {
		return
	}
	switch s.Type {
	case huma.TypeObject:
		k.object(s, out, at, v, patch)
	case huma.TypeArray:
		k.array(s, out, at, v)
	case huma.TypeString:
		k.text(s, at, v)
	case huma.TypeInteger, huma.TypeNumber:
		k.number(s, at, v)
	case huma.TypeBoolean:
		if _, ok := v.(bool); !ok {
			k.fault(at, WrongType, v, "must be true or false")
		}
	}
}

func (k *checker) object(s, out *huma.Schema, at string, v any, patch bool) {
	m, ok := v.(map[string]any)
	if !ok {
		k.fault(at, WrongType, v, "must be an object")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		p, known := s.Properties[name]
		if !known {
			k.stranger(s, out, at, name, m[name], patch)
			continue
		}
		k.property(s, p, property(out, name), at+"."+name, name, m[name], patch)
	}
	if patch {
		return
	}
	for _, name := range s.Required {
		if _, there := m[name]; !there {
			k.fault(at+"."+name, Required, nil, "is required")
		}
	}
}

// touched checks the fields of a body that a merge patch has named, merged: null ones are cleared.
func (k *checker) touched(s *huma.Schema, fields map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if p, known := s.Properties[name]; known {
			k.property(s, p, nil, "body."+name, name, fields[name], false)
			continue
		}
		k.stranger(s, nil, "body", name, fields[name], false)
	}
}

func (k *checker) property(s, p, out *huma.Schema, at, name string, v any, patch bool) {
	if v == nil && !k.resolve(p).Nullable {
		if slices.Contains(s.Required, name) {
			k.fault(at, Required, nil, "is required and cannot be null")
		}
		return
	}
	k.value(p, out, at, v, patch)
}

// stranger is a field that the schema does not name: an entry of a map, a field that only answers have, or unknown.
func (k *checker) stranger(s, out *huma.Schema, at, name string, v any, patch bool) {
	if values, is := s.AdditionalProperties.(*huma.Schema); is {
		k.value(values, nil, at+"."+name, v, patch)
		return
	}
	if property(out, name) != nil {
		k.fault(at+"."+name, ReadOnly, v, "is made by the platform and cannot be set")
		return
	}
	k.fault(at+"."+name, UnknownField, v, "is not a field of this operation")
}

func property(s *huma.Schema, name string) *huma.Schema {
	if s == nil {
		return nil
	}
	return s.Properties[name]
}

func (k *checker) array(s, out *huma.Schema, at string, v any) {
	list, ok := v.([]any)
	if !ok {
		k.fault(at, WrongType, v, "must be a list")
		return
	}
	if s.MaxItems != nil && len(list) > *s.MaxItems {
		k.fault(at, TooMany, nil, "has %d entries, at most %d are allowed", len(list), *s.MaxItems)
		return
	}
	if s.MinItems != nil && len(list) < *s.MinItems {
		k.fault(at, Required, nil, "needs at least %d entries", *s.MinItems)
	}
	var items *huma.Schema
	if out != nil {
		items = out.Items
	}
	for i, x := range list {
		k.value(s.Items, items, at+"["+strconv.Itoa(i)+"]", x, false)
	}
}

func (k *checker) text(s *huma.Schema, at string, v any) {
	t, ok := v.(string)
	if !ok {
		k.fault(at, WrongType, v, "must be a string")
		return
	}
	if s.Extensions[field.NotBlank] != nil && strings.TrimSpace(t) == "" {
		k.fault(at, Required, v, "must not be blank")
		return
	}
	if s.MaxLength != nil && utf8.RuneCountInString(strings.TrimSpace(t)) > *s.MaxLength {
		k.fault(at, TooLong, nil, "is longer than %d characters", *s.MaxLength)
	}
	if s.MinLength != nil && utf8.RuneCountInString(t) < *s.MinLength {
		k.fault(at, BadFormat, v, "is shorter than %d characters", *s.MinLength)
	}
	if most, is := s.Extensions[field.MaxBytes].(int); is && len(t) > most {
		k.fault(at, TooLong, nil, "is longer than %d bytes", most)
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(t)) {
		k.fault(at, BadFormat, v, "must be one of %v", s.Enum)
	}
	if !patterned(s.Pattern, t) {
		k.fault(at, BadFormat, v, "must be %s", s.PatternDescription)
	}
	if s.Format == field.EmailFormat && !field.IsEmail(t) {
		k.fault(at, BadFormat, v, "must be an e-mail address: ASCII before the @, and the name of a host behind it")
	}
	if s.Format == "date-time" && !dateTime(t) {
		k.fault(at, BadFormat, v, "must be a time as RFC 3339 has it, like 2026-11-21T02:05:12.583Z")
	}
}

var patterns sync.Map // pattern → *regexp.Regexp

func patterned(pattern, t string) bool {
	switch pattern {
	case "":
		return true
	case field.NoControl:
		return printable(t)
	}
	re, ok := patterns.Load(pattern)
	if !ok {
		re, _ = patterns.LoadOrStore(pattern, regexp.MustCompile(pattern))
	}
	return re.(*regexp.Regexp).MatchString(t)
}

// printable is field.NoControl without the price of a regular expression over 64 KiB. In UTF-8 U+0080 to U+009F are
// 0xc2 and a byte below 0xa0.
func printable(t string) bool {
	for i := range len(t) {
		c := t[i]
		if (c < ' ' || c == 0x7f) && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
		if c == 0xc2 && i+1 < len(t) && t[i+1] < 0xa0 {
			return false
		}
	}
	return true
}

func dateTime(t string) bool {
	_, ok := rfc3339(t)
	return ok
}

// rfc3339 reads a time as RFC 3339 has it: time.Parse alone takes an hour of one digit and a comma before the fraction.
func rfc3339(s string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, s)
	return t, err == nil && s[len("2006-01-02T15")] == ':' && !strings.Contains(s, ",")
}

func (k *checker) number(s *huma.Schema, at string, v any) {
	n, ok := v.(json.Number)
	if !ok {
		k.fault(at, WrongType, v, "must be a number")
		return
	}
	if s.Type == huma.TypeInteger {
		switch _, err := strconv.ParseInt(n.String(), 10, 64); {
		case errors.Is(err, strconv.ErrRange):
			k.fault(at, map[bool]string{true: TooSmall, false: TooBig}[n[0] == '-'], v, "is out of range")
			return
		case err != nil:
			k.fault(at, WrongType, v, "must be a whole number")
			return
		}
	}
	f, err := n.Float64()
	if err != nil {
		k.fault(at, TooBig, v, "is out of range")
		return
	}
	if s.Minimum != nil && f < *s.Minimum {
		k.fault(at, TooSmall, v, "must be at least %s", plainly(*s.Minimum))
	}
	if s.Maximum != nil && f > *s.Maximum {
		k.fault(at, TooBig, v, "must be at most %s", plainly(*s.Maximum))
	}
}

// plainly is a bound as people write it: 3600000, not 3.6e+06.
func plainly(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// parameter checks the text of a query parameter.
func (k *checker) parameter(p parameter, at, text string) {
	switch {
	case p.moment:
		if _, ok := Moment(text); !ok {
			k.fault(at, BadFormat, text, "must be RFC 3339 with Z or an offset, or a date")
		}
	case p.schema.Type == huma.TypeInteger:
		if _, err := strconv.ParseInt(text, 10, 64); err != nil && !errors.Is(err, strconv.ErrRange) || text[0] == '+' {
			k.fault(at, WrongType, text, "must be a whole number")
			return
		}
		k.value(p.schema, nil, at, json.Number(text), false)
	case p.schema.Type == huma.TypeBoolean:
		if text != "true" && text != "false" {
			k.fault(at, WrongType, text, "must be true or false")
		}
	default:
		k.value(p.schema, nil, at, text, false)
	}
}
