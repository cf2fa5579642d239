package field

import "github.com/danielgtaylor/huma/v2"

// Rate is a VAT rate in percent: a decimal from 0.00 to 100.00 with two places.
type Rate string

// RatePattern is what a rate looks like in JSON.
const RatePattern = `^(100\.00|(0|[1-9][0-9]?)\.[0-9]{2})$`

// Schema describes the type to OpenAPI and to the check of bodies.
func (Rate) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: RatePattern,
		PatternDescription: "a percentage from \"0.00\" to \"100.00\" with two places", Examples: []any{"21.00"}}
}
