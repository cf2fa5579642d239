package cli

import (
	"bytes"
	"io"
	"unicode"
	"unicode/utf8"
)

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
