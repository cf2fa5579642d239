package field

import (
	"regexp"

	"github.com/danielgtaylor/huma/v2"
)

// Color is a colour as #rrggbb; "" is none. One that was stored before that was the rule may be any text: Shown tells
// those apart.
type Color string

// UnmarshalJSON trims.
func (c *Color) UnmarshalJSON(b []byte) error { return trimmed(b, (*string)(c)) }

// Schema describes the type.
func (Color) Schema(huma.Registry) *huma.Schema {
	most := 64
	return &huma.Schema{Type: huma.TypeString, MaxLength: &most, PatternDescription: "a colour like #1f9d55",
		Pattern: `^\s*(#[0-9A-Fa-f]{6})?\s*$`, Extensions: map[string]any{Trims: true}, Examples: []any{"#1f9d55"}}
}

var plainColor = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)

// Shown is the colour where it is written as #rrggbb, which any style may hold; else "".
func (c Color) Shown() string { return plainColor.FindString(string(c)) }
