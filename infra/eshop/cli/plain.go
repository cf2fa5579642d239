package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// tell writes a line of output for people, or with --json the object that the line tells of.
func (o options) tell(of any, line string, args ...any) {
	if !o.json {
		fmt.Fprintf(o.Out, line+"\n", args...)
		return
	}
	text, err := json.Marshal(of)
	if err != nil {
		text, _ = json.Marshal(object{"error": err.Error()}) // a platform answered what is no JSON
	}
	fmt.Fprintln(o.Out, escaped(text))
}

// escaped is a JSON text with an escape for each character that a terminal might act on, so that plain leaves it as it
// is: a program that reads it gets what was said.
func escaped(text []byte) string {
	var b bytes.Buffer
	for _, r := range string(text) {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// plain is an output for people on which no text acts. What a platform, a receiver or a file says may hold characters
// that a terminal takes for a command. Each character that cannot be seen is written as U+FFFD, except the ends of
// lines.
type plain struct{ io.Writer }

// Write writes the text with U+FFFD for each invisible character.
func (p plain) Write(b []byte) (int, error) {
	seen := bytes.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, b)
	if _, err := p.Writer.Write(seen); err != nil {
		return 0, err
	}
	return len(b), nil
}
