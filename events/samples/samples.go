// Package samples has what functions are called with, one payload of each, and one body of each event that add-ons are
// told of. `make golden` writes them.
package samples

import "embed"

//go:embed *.json
var files embed.FS

// Of is the payload of a function, or of an event, by its name.
func Of(name string) ([]byte, error) { return files.ReadFile(name + ".json") }
