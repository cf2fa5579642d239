// Package field is the types that the fields of records are made of (contract, "JSON"): what each allows, as its schema
// says it, and how it is read and written in JSON. Money is hundredths, a Time milliseconds.
package field

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// MaxBytes is the schema extension that bounds a string in bytes, which JSON Schema cannot say.
const MaxBytes = "x-maxBytes"

// NotBlank is the schema extension of strings in which blanks alone are no value, Trims of those whose blanks around do
// not count.
const (
	NotBlank = "x-notBlank"
	Trims    = "x-trimmed"
)

// NoControl is how a schema says text without control characters but tab and line ends (contract, "JSON"). It leaves
// U+0080 to U+009F out, which the check of a body refuses, too: clients in PHP match bytes, and those bytes are within
// letters like č.
const (
	NoControl     = `^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$`
	noControlText = "without control characters but tab and line ends"
)

// Name is a name of 1 to 255 characters, trimmed, not blank.
type Name string

// Line is up to 255 characters, trimmed; in answers absent when empty if its field is marked omitempty.
type Line string

// Code is 1 to 64 characters, trimmed, not blank.
type Code string

// URL is an address of 1 to 2000 characters; whether it may be called is another question.
type URL string

// Text is up to 64 KiB.
type Text string

// Money is an amount in hundredths of the shop's currency, in JSON a decimal string with two places: "1234.50".
type Money int64

// MoneyPattern is what an amount looks like in JSON.
const MoneyPattern = `^(0|[1-9][0-9]{0,11})\.[0-9]{2}$`

// Time is unix milliseconds, in JSON RFC 3339 UTC with milliseconds.
type Time int64

// Schema describes the type to OpenAPI and to the check of bodies.
func (Name) Schema(huma.Registry) *huma.Schema { return notBlank(text(255)) }

// Schema describes the type.
func (Line) Schema(huma.Registry) *huma.Schema { return text(255) }

// Schema describes the type.
func (Code) Schema(huma.Registry) *huma.Schema { return notBlank(text(64)) }

// Schema describes the type.
func (Text) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: NoControl,
		PatternDescription: noControlText,
		Extensions:         map[string]any{MaxBytes: 64 << 10}}
}

// Schema describes the type.
func (URL) Schema(huma.Registry) *huma.Schema {
	least, most := 1, 2000
	return &huma.Schema{Type: huma.TypeString, Format: "uri", MinLength: &least, MaxLength: &most,
		Examples: []any{"https://example.com/hooks"}}
}

// Schema describes the type.
func (Money) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: MoneyPattern,
		PatternDescription: "a decimal from \"0.00\" to \"999999999999.99\" with exactly two places",
		Examples:           []any{"1234.50"}}
}

// Schema describes the type.
func (Time) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Examples: []any{"2026-11-21T02:05:12.583Z"}}
}

// text is the schema of a text of at most so many characters, which is trimmed and has no control characters.
func text(length int) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, MaxLength: &length, Pattern: NoControl,
		PatternDescription: noControlText, Extensions: map[string]any{Trims: true}}
}

// notBlank is the schema of a text that must say something.
func notBlank(s *huma.Schema) *huma.Schema {
	one := 1
	s.MinLength, s.Extensions[NotBlank] = &one, true
	return s
}

// UnmarshalJSON trims.
func (n *Name) UnmarshalJSON(b []byte) error { return trimmed(b, (*string)(n)) }

// UnmarshalJSON trims.
func (l *Line) UnmarshalJSON(b []byte) error { return trimmed(b, (*string)(l)) }

// UnmarshalJSON trims.
func (c *Code) UnmarshalJSON(b []byte) error { return trimmed(b, (*string)(c)) }

// trimmed reads a JSON string without the space around it; null leaves what is there.
func trimmed(b []byte, s *string) error {
	if string(b) == "null" {
		return nil
	}
	t, err := unquoted(b)
	*s = string(bytes.TrimSpace(t))
	return err
}

// unquoted is the text of a JSON string, however it is spelt. Most hold no escapes and are taken as they are: stored
// records are read far more often than written.
func unquoted(b []byte) ([]byte, error) {
	if n := len(b); n >= 2 && b[0] == '"' && bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b) {
		return b[1 : n-1], nil
	}
	var s string
	err := json.Unmarshal(b, &s)
	return []byte(s), err
}

// String is the amount with its two places.
func (m Money) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	return fmt.Sprintf("%s%d.%02d", sign, m/100, m%100)
}

// MarshalJSON writes the decimal string.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(`"` + m.String() + `"`), nil }

// UnmarshalJSON reads the decimal string; null leaves what is there.
func (m *Money) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	text, err := unquoted(b)
	whole, cents, ok := bytes.Cut(text, []byte("."))
	if err != nil || !ok || len(cents) != 2 {
		return errors.New("field: not an amount")
	}
	n, err := strconv.ParseInt(string(whole)+string(cents), 10, 64)
	*m = Money(n)
	return err
}

// timeFormat is RFC 3339 UTC with milliseconds. One that is sent may have more digits and an offset: MaxTime
// characters.
const (
	timeFormat = "2006-01-02T15:04:05.000Z"
	MaxTime    = 64
)

// At is the moment as a Time.
func At(t time.Time) Time { return Time(t.UnixMilli()) }

// Go is the moment as Go has it.
func (t Time) Go() time.Time { return time.UnixMilli(int64(t)).UTC() }

// String is the moment as JSON shows it.
func (t Time) String() string { return t.Go().Format(timeFormat) }

// MarshalJSON writes RFC 3339 with milliseconds.
func (t Time) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, len(timeFormat)+2)
	b = append(b, '"')
	b = t.Go().AppendFormat(b, timeFormat)
	return append(b, '"'), nil
}

// UnmarshalJSON reads RFC 3339; null leaves what is there.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var g time.Time
	text, err := unquoted(b)
	if err != nil || g.UnmarshalText(text) != nil {
		return errors.New("field: not a time")
	}
	*t = At(g)
	return nil
}
