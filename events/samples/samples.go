// Package samples has what functions are called with, one payload of each, which `make golden` writes. Its folders are
// versions of the API: <version>/ has an answer of each operation with its request, and one body of each event that
// add-ons are told of. They are recorded once, and stay for as long as the version is served.
package samples

import "embed"

//go:embed *.json
var files embed.FS

// Read is the payload of a function, by its name.
func Read(name string) ([]byte, error) { return files.ReadFile(name + ".json") }
