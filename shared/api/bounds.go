package api

import (
	"strings"
	"unicode/utf8"

	"eshop/shared/record/field"

	"github.com/danielgtaylor/huma/v2"
)

// The bounds of inputs that set none themselves, and of what says where something is.
const (
	maxText  = 255      // characters of a string
	maxList  = 100      // entries of a list
	maxQuery = 16 << 10 // bytes of a query
	maxPath  = 2 << 10  // bytes of a path; no operation has a longer one
)

// bounded gives the lists and free texts of an input the bounds that their schemas leave open, so that nothing which is
// sent is checked, or kept, without a bound. It is called before the first request.
func bounded(registry huma.Registry, s *huma.Schema) *huma.Schema {
	boundAll(registry, s, map[*huma.Schema]bool{})
	return s
}

// boundAll is bounded of the schema and all below it. seen are those that it has been at.
func boundAll(registry huma.Registry, schema *huma.Schema, seen map[*huma.Schema]bool) {
	if schema = resolve(registry, schema); schema == nil || seen[schema] {
		return
	}
	seen[schema] = true
	switch schema.Type {
	case huma.TypeObject:
		// Such an input could not be bounded. This is a fault of the program, found when the operation is registered.
		if named, is := schema.AdditionalProperties.(*huma.Schema); is {
			if schema.MaxProperties == nil {
				panic("api: an input of any number of fields")
			}
			boundAll(registry, named, seen)
		}
		for _, p := range schema.Properties {
			boundAll(registry, p, seen)
		}
	case huma.TypeArray:
		if schema.MaxItems == nil {
			most := maxList
			schema.MaxItems = &most
		}
		boundAll(registry, schema.Items, seen)
	case huma.TypeString:
		sized := schema.MaxLength != nil || schema.Extensions[field.MaxBytes] != nil
		if !sized && len(schema.Enum) == 0 && schema.Pattern == "" && schema.Format == "" {
			most := maxText
			schema.MaxLength = &most
		}
	}
}

// beyond is the bound that the text exceeds: so many characters, or bytes where what says so; 0 when it is within its
// own. It looks at no more of the text than its bound, blanks apart.
func beyond(schema *huma.Schema, text string) (most int, what string) {
	if bytes, is := schema.Extensions[field.MaxBytes].(int); is {
		if len(text) > bytes {
			return bytes, "bytes"
		}
		return 0, ""
	}
	if most = maxText; schema.MaxLength != nil {
		most = *schema.MaxLength
	}
	if schema.Extensions[field.Trims] != nil {
		text = strings.TrimSpace(text)
	}
	// A character has at most four bytes, so a very long text is refused without counting its characters.
	if len(text) > most*utf8.UTFMax || utf8.RuneCountInString(text) > most {
		return most, "characters"
	}
	return 0, ""
}

// cut is the text, which is UTF-8, its end left out where it has more than so many bytes.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
