package api

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/record/field"

	"github.com/danielgtaylor/huma/v2"
)

// formReader makes of a form the value that its JSON would be (contract, "One address, two readers"). Names are dotted
// into objects and lists; "true" and "false" become booleans; digits become numbers where the schema has them; amounts
// may be typed as people do. What has no place in the schema stays a text, which the rules then refuse. patch says that
// the form changes a record: then an empty field clears, else it is left out.
type formReader struct {
	registry huma.Registry
	patch    bool
	form     url.Values
}

// shownPrefix begins the names of fields that say what the page has shown: _shown.name is what the page would send as
// name if nobody touched that.
const shownPrefix = "_shown."

// fromIndex matches the rest of a name from the index in a list on: .0.unit of units.0.unit.
var fromIndex = regexp.MustCompile(`\.[0-9]+\..*`)

// withoutUntouched is the form without the fields that nobody has touched: they count as not sent, so that what others
// have changed since stays. A list by index is one field, because it is set whole.
func withoutUntouched(form url.Values) url.Values {
	as, changed := map[string]bool{}, map[string]bool{}
	for name, was := range form {
		field, is := strings.CutPrefix(name, shownPrefix)
		if !is {
			continue
		}
		whole := fromIndex.ReplaceAllString(field, "")
		as[whole] = true
		if !slices.EqualFunc(form[field], was, func(a, b string) bool { return unified(a) == unified(b) }) {
			changed[whole] = true
		}
	}
	if len(as) == 0 {
		return form
	}
	sent := maps.Clone(form)
	maps.DeleteFunc(sent, func(name string, _ []string) bool {
		whole := fromIndex.ReplaceAllString(name, "")
		return as[whole] && !changed[whole]
	})
	return sent
}

// value is the form's value. Names that begin with _ are the page's own, and not the operation's.
func (f formReader) value(s *huma.Schema, form url.Values) map[string]any {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(form)), func(name string) bool {
		return name == "" || name[0] == '_'
	})
	f.form = form
	return f.object(resolve(f.registry, s), "", names)
}

// object makes an object of the names, all of which begin with the prefix. They are sorted, so the names of one field
// stand together.
func (f formReader) object(schema *huma.Schema, prefix string, names []string) map[string]any {
	object := map[string]any{}
	for len(names) > 0 {
		field, _, _ := strings.Cut(names[0][len(prefix):], ".")
		end := slices.IndexFunc(names, func(name string) bool {
			own, _, _ := strings.Cut(name[len(prefix):], ".")
			return own != field
		})
		if end < 0 {
			end = len(names)
		}
		v, there := f.field(property(schema, field), prefix, field, names[:end], object)
		switch {
		case there:
			object[field] = v
		case schema != nil && slices.Contains(schema.Required, field) &&
			isObject(resolve(f.registry, property(schema, field))):
			// so that what is missing is a fault of each of its fields, which people see
			object[field] = map[string]any{}
		}
		names = names[end:]
	}
	return object
}

// field is the value of a field, of the names that are its own or below it. What has no place in the schema is put into
// the object under the rest of its name, so that a fault names it as it was sent.
func (f formReader) field(
	schema *huma.Schema, prefix, field string, names []string, object map[string]any,
) (any, bool) {
	schema = resolve(f.registry, schema)
	at := prefix + field
	own, below := names[0] == at, names
	if own {
		below = names[1:]
	}
	switch {
	case isObject(schema) && !own:
		return f.nested(schema, at+".", f.object(schema, at+".", below))
	case schema != nil && schema.Type == huma.TypeArray && own && len(below) == 0:
		return f.list(schema, f.form[at])
	case schema != nil && schema.Type == huma.TypeArray && !own:
		return f.entries(schema, at+".", below)
	}
	for _, name := range below {
		object[name[len(prefix):]] = last(f.form[name])
	}
	if !own {
		return nil, false
	}
	return f.scalar(schema, f.form[at])
}

// isObject says whether the schema is of an object.
func isObject(s *huma.Schema) bool { return s != nil && s.Type == huma.TypeObject }

// presetPrefix begins the names of fields that say what a page has chosen: _preset.address.country is the country with
// which the address is still empty.
const presetPrefix = "_preset."

// nested is an object of a form. If all of its fields are empty or as the page has preset them, it is cleared, or left
// out of a new record. One that cannot be cleared has those fields cleared.
func (f formReader) nested(schema *huma.Schema, prefix string, object map[string]any) (any, bool) {
	for name, v := range object {
		if v != nil && v != f.form.Get(presetPrefix+prefix+name) {
			return object, true
		}
	}
	if f.patch && !clearable(f.registry, schema) {
		return object, true
	}
	return nil, f.patch
}

// list is a list of scalars, whose name is there several times. One empty value is the empty list.
func (f formReader) list(s *huma.Schema, values []string) (any, bool) {
	list, entry := []any{}, formReader{registry: f.registry}
	for _, text := range values {
		if v, there := entry.scalar(resolve(f.registry, s.Items), []string{text}); there {
			list = append(list, v)
		}
	}
	return list, true
}

// entries is a list by index: units.0.unit, units.1.unit. Indexes may be missing, and empty entries are left out.
func (f formReader) entries(schema *huma.Schema, prefix string, names []string) (any, bool) {
	of := map[int][]string{}
	for _, name := range names {
		index, _, below := strings.Cut(name[len(prefix):], ".")
		n, err := strconv.Atoi(index)
		if (err != nil || !below) && f.byLevel(schema) {
			return f.levels(prefix, names), true
		}
		if err != nil || n < 0 || strconv.Itoa(n) != index {
			return last(f.form[names[0]]), true // no list: the rules say so
		}
		of[n] = append(of[n], name)
	}
	list := []any{}
	entry := formReader{registry: f.registry, form: f.form}
	for _, n := range slices.Sorted(maps.Keys(of)) {
		if v, there := entry.field(schema.Items, prefix, strconv.Itoa(n), of[n], map[string]any{}); there {
			list = append(list, v)
		}
	}
	return list, true
}

// byLevel says whether the entries of a list are named by their level and not by their index. Prices are, as in the CSV
// of imports.
func (f formReader) byLevel(s *huma.Schema) bool {
	entry := resolve(f.registry, s.Items)
	return isObject(entry) && len(entry.Properties) == 2 && entry.Properties["level"] != nil &&
		entry.Properties["price"] != nil
}

// levels are prices by their levels: priceLevels.default. One that is empty is left out.
func (f formReader) levels(prefix string, names []string) any {
	list := []any{}
	for _, name := range names {
		if price := strings.TrimSpace(last(f.form[name])); price != "" {
			list = append(list, map[string]any{"level": name[len(prefix):], "price": field.NormalizeAmount(price)})
		}
	}
	return list
}

// scalar is a text, a number or a boolean. Of several values the last one counts: so a hidden false may stand before a
// checkbox.
func (f formReader) scalar(schema *huma.Schema, values []string) (any, bool) {
	text := last(values)
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "": // clears what can be absent, and leaves alone what cannot
		return nil, f.patch && (schema == nil || clearable(f.registry, schema))
	case schema == nil:
	case schema.Type == huma.TypeBoolean && (trimmed == "true" || trimmed == "false"):
		return trimmed == "true", true
	case (schema.Type == huma.TypeInteger || schema.Type == huma.TypeNumber) &&
		strings.IndexAny(trimmed, "-0123456789") == 0 && json.Valid([]byte(trimmed)):
		return json.Number(whole(trimmed)), true
	case schema.Format == "date-time":
		return field.NormalizeTime(trimmed), true
	case schema.Pattern == field.MoneyPattern, schema.Pattern == field.RatePattern:
		return field.NormalizeAmount(trimmed), true
	}
	return text, true
}

// last is the last of the values.
func last(values []string) string { return unified(values[len(values)-1]) }

// unified is a text with the line ends that everybody but forms uses.
func unified(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
