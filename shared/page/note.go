package page

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// NoteLife is how long a note waits for the page that shows it. A secret that is shown once is not lost to a connection
// that comes back after some minutes.
const NoteLife = 10 * time.Minute

// Note is what an action tells the page that is shown after it, once: it travels in a cookie that nobody but the server
// can read, so a secret that is shown once stands in no address and no log.
type Note struct {
	Said   string            `json:"said,omitempty"`   // the name of a text
	Of     string            `json:"of,omitempty"`     // what the text is said of, by name; "": it says all itself
	Not    string            `json:"not,omitempty"`    // what was not done, and why, in words; "": nothing is to be said
	Secret map[string]string `json:"secret,omitempty"` // by what it is: token, key, link
	Look   map[string]string `json:"look,omitempty"`   // of a preview: fields of the shop's face, as they were typed
	Until  int64             `json:"until"`            // unix seconds
}

// Notes seals notes for one purpose. Key is the platform's own secret.
type Notes struct {
	Key []byte
	For string
}

// Previews seals the look of a shop that is not saved yet, for the address at which the shop's first page shows it.
func Previews(key []byte, shop string) Notes { return Notes{Key: key, For: "preview of " + shop} }

// Close is the note as a cookie's value.
func (n Notes) Close(note Note, random io.Reader, now time.Time) (string, error) {
	note.Until = now.Add(NoteLife).Unix()
	text, err := json.Marshal(note)
	if err != nil {
		return "", err
	}
	c := n.cipher()
	nonce := make([]byte, c.NonceSize())
	if _, err := io.ReadFull(random, nonce); err != nil {
		return "", fmt.Errorf("page: no randomness: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(c.Seal(nonce, nonce, text, []byte(n.For))), nil
}

// Open is the note of a cookie's value; the zero one of a value that is none, is of another purpose, or is over.
func (n Notes) Open(value string, now time.Time) (note Note) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(value)
	c := n.cipher()
	if err != nil || len(b) < c.NonceSize() {
		return Note{}
	}
	text, err := c.Open(nil, b[:c.NonceSize()], b[c.NonceSize():], []byte(n.For))
	if err != nil || json.Unmarshal(text, &note) != nil || now.Unix() > note.Until {
		return Note{}
	}
	return note
}

// cipher seals notes under a key of their own, made from the platform's.
func (n Notes) cipher() cipher.AEAD {
	key := sha256.Sum256(append([]byte("notes\n"), n.Key...))
	block, err := aes.NewCipher(key[:])
	if err == nil {
		var c cipher.AEAD
		if c, err = cipher.NewGCM(block); err == nil {
			return c
		}
	}
	panic("page: " + err.Error()) // a key of 32 bytes always is one
}
