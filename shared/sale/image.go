package sale

import "strings"

// imageID is the id of the image that has this public key: the key is the id, a dash, and 128 random bits.
func imageID(key string) string {
	id, _, _ := strings.Cut(key, "-")
	return id
}
