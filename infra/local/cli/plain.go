package cli

import (
	"bytes"
	"io"
	"unicode"
	"unicode/utf8"
)

// plain is an output for people on which no text acts: what a platform, a receiver or a file says may hold what a
// terminal takes for a command. Whatever cannot be seen is written as U+FFFD, but for the ends of lines.
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
