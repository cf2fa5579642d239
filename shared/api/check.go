package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"eshop/shared/base/problem"
	"eshop/shared/record/field"

	"github.com/danielgtaylor/huma/v2"
)

// checkInput holds the body against its schema and the query against what the operation takes, and opens the cursor.
func (a *API) checkInput(c *Call) error {
	check := checker{registry: a.schemas(), apart: c.op.Apart}
	switch in := &c.op.input; {
	case c.op.kind == kindView:
		return nil
	case in.schema == nil && c.form == nil:
	case in.schema == nil: // the form of a DELETE
		check.body(noFields, nil, c.sent, asWhole)
	case in.patch:
		check.body(in.schema, c.op.answerSchema, c.sent, asPatch)
	default:
		check.body(in.schema, c.op.answerSchema, c.sent, asWhole)
	}
	if c.op.kind.checksQuery(c.WantsPage()) {
		c.query = check.query(c.op.input.query, c.r.URL.RawQuery)
	}
	a.looked.Add(check.looked)
	// A batch of too many items has a code of its own, whatever else is wrong with it.
	if c.op.TooMany != nil && slices.ContainsFunc(check.faults, tooManyItems) {
		return c.op.TooMany()
	}
	if len(check.faults) > 0 {
		// The fields of an object come in no order of their own; answers are the same for the same request.
		slices.SortStableFunc(check.faults, func(x, y problem.Fault) int {
			return strings.Compare(x.Location, y.Location)
		})
		return problem.Invalid(check.faults...)
	}
	if c.query.Has("cursor") {
		// The cursor is opened last: it takes the place of the query, and is only good beside a query without faults.
		return a.resume(c)
	}
	return nil
}

// tooManyItems says whether the fault is that of a batch with too many items.
func tooManyItems(f problem.Fault) bool {
	return f.Location == "body.items" && f.Code == problem.TooMany
}

// checker holds a body against its schema and names each fault by the contract's codes. A bound is checked before
// anything else looks at a value.
type checker struct {
	registry huma.Registry
	apart    map[string]string // Op.Apart
	faults   []problem.Fault
	at       []byte // where the value stands that is being checked: body.items[3].quantity
	looked   int64  // how many bytes of texts were within their bounds and so held against more
}

// body checks a body that makes a record, or changes one. shown is the schema of the answer: a field that is only there
// is read-only.
func (k *checker) body(in, shown *huma.Schema, v any, as reading) {
	k.at = append(k.at[:0], "body"...)
	k.value(in, shown, v, as)
}

func (k *checker) resolve(s *huma.Schema) *huma.Schema { return resolve(k.registry, s) }

// resolve is the schema itself where s refers to one; nil for nil.
func resolve(registry huma.Registry, s *huma.Schema) *huma.Schema {
	for s != nil && s.Ref != "" {
		s = registry.SchemaFromRef(s.Ref)
	}
	return s
}

// fault notes one of the value that is being checked.
func (k *checker) fault(code, message string, args ...any) {
	if len(k.faults) < problem.MaxFaults {
		k.faults = append(k.faults,
			problem.Fault{Location: string(k.at), Code: code, Message: fmt.Sprintf(message, args...)})
	}
}

// field moves to a field of the object that is being checked; back is where k.at ended before.
func (k *checker) field(name string) (back int) {
	back = len(k.at)
	k.at = append(append(k.at, '.'), name...)
	return back
}

// entry moves to an entry of the list that is being checked; back is where k.at ended before.
func (k *checker) entry(i int) (back int) {
	back = len(k.at)
	k.at = append(strconv.AppendInt(append(k.at, '['), int64(i), 10), ']')
	return back
}

// reading is as what an object is checked.
type reading int

const (
	asWhole reading = iota // what is required is there
	asPatch                // it is merged into something: null clears, and nothing is required
)

// value checks one value against its schema. shown is the schema that answers have, by which a read-only field is told
// from an unknown one.
func (k *checker) value(schema, shown *huma.Schema, value any, as reading) {
	schema, shown = k.resolve(schema), k.resolve(shown)
	if value == nil && schema.Nullable {
		return
	}
	switch schema.Type {
	case huma.TypeObject:
		k.object(schema, shown, value, as)
	case huma.TypeArray:
		k.array(schema, shown, value)
	case huma.TypeString:
		k.text(schema, value)
	case huma.TypeInteger, huma.TypeNumber:
		k.number(schema, value)
	case huma.TypeBoolean:
		if _, ok := value.(bool); !ok {
			k.fault(problem.WrongType, "must be true or false")
		}
	}
}

// object checks an object: its fields one by one and, unless it is a patch, that none is missing.
func (k *checker) object(schema, shown *huma.Schema, v any, as reading) {
	if _, any := v.(json.RawMessage); any {
		return // with fields of any name: see decoder.value
	}
	fields, ok := v.(map[string]any)
	if !ok {
		k.fault(problem.WrongType, "must be an object")
		return
	}
	if schema.MaxProperties != nil && len(fields) > *schema.MaxProperties {
		k.fault(problem.TooMany, "has too many fields: at most %d are allowed", *schema.MaxProperties)
		return
	}
	k.properties(schema, shown, fields, as)
	if as == asPatch {
		return
	}
	for _, name := range schema.Required {
		if _, there := fields[name]; !there {
			back := k.field(name)
			k.fault(problem.Required, "is required")
			k.at = k.at[:back]
		}
	}
}

// patchedFields checks the fields of a body that a merge patch has named, merged: null ones are cleared.
func (k *checker) patchedFields(s *huma.Schema, fields map[string]any) {
	k.at = append(k.at[:0], "body"...)
	k.properties(s, nil, fields, asWhole)
}

// properties checks the fields of an object.
func (k *checker) properties(s, shown *huma.Schema, fields map[string]any, as reading) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		back := k.field(name)
		k.property(s, property(shown, name), name, fields[name], as)
		k.at = k.at[:back]
	}
}

// property checks a field of an object of this schema. shown is what answers have under that name, nil: nothing.
func (k *checker) property(schema, shown *huma.Schema, name string, value any, as reading) {
	p := property(schema, name)
	switch {
	case p == nil && schema.AdditionalProperties == true: // fields of any name
	case p == nil && shown != nil:
		why := k.apart[strings.TrimPrefix(string(k.at), "body.")]
		k.fault(problem.ReadOnly, "cannot be set here: %s", cmp.Or(why, "the platform makes it"))
	case p == nil:
		k.fault(problem.UnknownField, "is not a field of this operation%s", hint(k, name, schema.Properties))
	case value != nil || k.resolve(p).Nullable:
		k.value(p, shown, value, as)
	case slices.Contains(schema.Required, name):
		k.fault(problem.Required, "is required and cannot be null")
	case !clearable(k.registry, p):
		k.fault(problem.Required, "cannot be null; leave it out instead")
	}
}

// clearable says whether null can stand for a value. A number and a truth value are always there, so null would
// silently be 0 or false, and so it would within an object that holds one. Named objects are never all cleared. The
// schema may say what null means (the tag nullable).
func clearable(registry huma.Registry, schema *huma.Schema) bool {
	switch schema = resolve(registry, schema); schema.Type {
	case huma.TypeBoolean, huma.TypeInteger, huma.TypeNumber:
		return schema.Nullable
	case huma.TypeObject:
		if _, named := schema.AdditionalProperties.(*huma.Schema); named {
			return false
		}
		for _, p := range schema.Properties {
			if !schema.Nullable && !clearable(registry, p) {
				return false
			}
		}
	}
	return true
}

// hint is how a fault of an unknown name goes on: with the name that may have been meant.
func hint[V any](k *checker, name string, ours map[string]V) string {
	// No further fault is kept, so its hint would be looked for in vain.
	if len(k.faults) == problem.MaxFaults {
		return ""
	}
	if meant := Suggest(name, ours); meant != "" {
		return "; `" + meant + "` is"
	}
	return ""
}

// property is the schema of an object's field; nil if the object is not known or has no such field.
func property(s *huma.Schema, name string) *huma.Schema {
	if s == nil {
		return nil
	}
	if named, is := s.AdditionalProperties.(*huma.Schema); is {
		return named
	}
	return s.Properties[name]
}

// array checks a list. One with too many entries is refused without looking at them.
func (k *checker) array(schema, shown *huma.Schema, v any) {
	list, ok := v.([]any)
	if !ok {
		k.fault(problem.WrongType, "must be a list")
		return
	}
	if schema.MaxItems != nil && len(list) > *schema.MaxItems {
		k.fault(problem.TooMany, "has too many entries: at most %d are allowed", *schema.MaxItems)
		return
	}
	if schema.MinItems != nil && len(list) < *schema.MinItems {
		k.fault(problem.Required, "needs at least %s", counted(*schema.MinItems, "entry", "entries"))
	}
	var items *huma.Schema
	if shown != nil {
		items = shown.Items
	}
	for i, x := range list {
		back := k.entry(i)
		k.value(schema.Items, items, x, asWhole)
		k.at = k.at[:back]
	}
}

// text checks a string, cheapest rules first: a text that is too long is looked at no further.
func (k *checker) text(schema *huma.Schema, v any) {
	if _, is := v.(File); is && schema.Format == binary {
		return
	}
	text, ok := v.(string)
	if !ok {
		k.fault(problem.WrongType, "must be a string")
		return
	}
	if most, what := beyond(schema, text); most > 0 {
		k.fault(problem.TooLong, "is longer than %d %s", most, what)
		return
	}
	k.looked += int64(len(text))
	if schema.Extensions[field.NotBlank] != nil && strings.TrimSpace(text) == "" {
		k.fault(problem.Required, "must not be blank")
		return
	}
	if schema.MinLength != nil && utf8.RuneCountInString(text) < *schema.MinLength {
		k.fault(problem.BadFormat, "is shorter than %s", counted(*schema.MinLength, "character", "characters"))
	}
	if len(schema.Enum) > 0 && !slices.Contains(schema.Enum, any(text)) {
		k.fault(problem.BadFormat, "must be one of %v", schema.Enum)
	}
	if !patterned(schema.Pattern, text) {
		k.fault(problem.BadFormat, "must be %s", schema.PatternDescription)
	}
	if schema.Format == field.EmailFormat && !field.IsEmail(text) {
		k.fault(problem.BadFormat, "must be an e-mail address: ASCII before the @, and the name of a host behind it")
	}
	if schema.Format == "date-time" {
		if _, ok := rfc3339(text); !ok {
			k.fault(problem.BadFormat,
				"must be a time of the years 1 to 9999 as RFC 3339 has it, like 2026-11-21T02:05:12.583Z")
		}
	}
}

var patterns sync.Map // pattern → *regexp.Regexp

// patterned says whether a text matches a pattern. A compiled pattern is kept: schemas have a few dozen.
func patterned(pattern, text string) bool {
	switch pattern {
	case "":
		return true
	case field.NoControl:
		return printable(text)
	}
	// Compiling costs more than matching.
	re, ok := patterns.Load(pattern)
	if !ok {
		re, _ = patterns.LoadOrStore(pattern, regexp.MustCompile(pattern))
	}
	return re.(*regexp.Regexp).MatchString(text)
}

// printable is field.NoControl without the price of a regular expression over 64 KiB, and without U+0080 to U+009F: in
// UTF-8 they are 0xc2 and a byte below 0xa0.
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

// number checks a number. JSON has numbers that no int64 or float64 holds; these are out of range, not of the wrong
// type.
func (k *checker) number(schema *huma.Schema, v any) {
	number, ok := v.(json.Number)
	if !ok {
		k.fault(problem.WrongType, "must be a number")
		return
	}
	if schema.Type == huma.TypeInteger {
		switch _, err := strconv.ParseInt(number.String(), 10, 64); {
		case errors.Is(err, strconv.ErrRange):
			// A number with a minus is too small, any other too big.
			k.fault(map[bool]string{true: problem.TooSmall, false: problem.TooBig}[number[0] == '-'], "is out of range")
			return
		case err != nil:
			k.fault(problem.WrongType, "must be a whole number")
			return
		}
	}
	// Both kinds are compared as float64: the bounds of schemas are such numbers.
	f, err := number.Float64()
	if err != nil {
		k.fault(problem.TooBig, "is out of range")
		return
	}
	if schema.Minimum != nil && f < *schema.Minimum {
		k.fault(problem.TooSmall, "must be at least %s", plainly(*schema.Minimum))
	}
	if schema.Maximum != nil && f > *schema.Maximum {
		k.fault(problem.TooBig, "must be at most %s", plainly(*schema.Maximum))
	}
}

// counted is a number of things: 1 entry, 2 entries.
func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// plainly is a bound as people write it: 3600000, not 3.6e+06.
func plainly(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// parameter checks the text of a query parameter.
func (k *checker) parameter(p parameter, text string) {
	var value any = text
	switch p.schema.Type {
	case huma.TypeInteger:
		if _, err := strconv.ParseInt(text, 10, 64); err != nil && !errors.Is(err, strconv.ErrRange) || text[0] == '+' {
			k.fault(problem.WrongType, "must be a whole number")
			return
		}
		value = json.Number(text)
	case huma.TypeBoolean:
		if text != "true" && text != "false" {
			k.fault(problem.WrongType, "must be true or false")
			return
		}
		value = text == "true"
	}
	if !p.moment {
		k.value(p.schema, nil, value, asWhole)
	} else if _, ok := Moment(text); !ok {
		// A + of a query stands for a space, and is sent as %2B.
		plus := ""
		if _, ok := Moment(strings.Replace(text, " ", "+", 1)); ok {
			plus = ": send the + of the offset as %2B"
		}
		k.fault(problem.BadFormat, "must be RFC 3339 with Z or an offset, or a date%s", plus)
	}
}

// query checks the query of an operation that takes these parameters, and parses it.
func (k *checker) query(takes map[string]parameter, raw string) url.Values {
	if raw == "" {
		return nil
	}
	k.at = append(k.at[:0], "query"...)
	if len(raw) > maxQuery {
		k.fault(problem.TooLong, "is longer than %d bytes", maxQuery)
		return nil
	}
	q, err := url.ParseQuery(raw)
	if err != nil {
		k.fault(problem.BadFormat, "is not a query string")
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		back := k.field(name)
		p, known := takes[name]
		switch values := q[name]; {
		case !known:
			k.fault(problem.UnknownField, "is not a parameter of this operation%s", hint(k, name, takes))
		case len(values) > 1:
			k.fault(problem.Duplicate, "is given more than once")
		// An empty cursor is left to resume, which refuses it with its own code.
		case values[0] == "" && name != "cursor":
			k.fault(problem.BadFormat, "is empty")
		case !utf8.ValidString(values[0]):
			k.fault(problem.BadFormat, "is not UTF-8")
		case name != "cursor":
			k.parameter(p, values[0])
		}
		k.at = k.at[:back]
	}
	return q
}
