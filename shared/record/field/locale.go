package field

import "github.com/danielgtaylor/huma/v2"

// Locale is the language and the country of a shop, such as cs_CZ.
type Locale string

// Locales are those that a shop can have. Package page has the language of each, package sale its order states' names.
var Locales = []Locale{"cs_CZ", "sk_SK"}

// Schema describes the type.
func (Locale) Schema(huma.Registry) *huma.Schema { return oneOf(Locales) }
