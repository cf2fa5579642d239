package field

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Domain is a host name in lower case.
type Domain string

// UnmarshalJSON trims and lower-cases.
func (d *Domain) UnmarshalJSON(b []byte) error {
	err := trimmed(b, (*string)(d))
	*d = Domain(strings.ToLower(string(*d)))
	return err
}

// Schema describes the type: labels of letters, digits and inner hyphens, the last one no number.
func (Domain) Schema(huma.Registry) *huma.Schema {
	most := 253
	return &huma.Schema{Type: huma.TypeString, MaxLength: &most, PatternDescription: "a host name without a port",
		Pattern:  `^\s*([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\s*$`,
		Examples: []any{"shop.example.cz"}}
}
