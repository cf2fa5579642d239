// Command licences reads a bill of materials (CycloneDX, JSON) from its input, and prints each module with its
// licences. It fails when a licence is unknown, or is not on the lists below.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// permissive are the licences, by their SPDX identifiers, whose modules may be part of what is deployed and given away.
// The tool that makes the bill calls the Go project's licence BSD-Source-Code: three clauses and a grant of patents.
var permissive = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSD-Source-Code", "ISC", "MIT"}

// ofTests are modules that only tests import, with their licences: they are in nothing that we ship.
var ofTests = map[string]string{"pgregory.net/rapid": "MPL-2.0"}

func main() {
	if err := list(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// list prints the modules of the bill with their licences, and is an error that names those we may not use.
func list(bill io.Reader, out io.Writer) error {
	var read struct {
		Components []component `json:"components"`
	}
	if err := json.NewDecoder(bill).Decode(&read); err != nil {
		return fmt.Errorf("the bill of materials is not read: %w", err)
	}
	if len(read.Components) == 0 {
		return fmt.Errorf("the bill of materials is empty")
	}
	var refused []string
	for _, c := range read.Components {
		licences := c.licences()
		fmt.Fprintf(out, "%-60s %-40s %s\n", c.Name, c.Version, strings.Join(licences, ", "))
		if !c.allowed(licences) {
			refused = append(refused, c.Name)
		}
	}
	if refused != nil {
		return fmt.Errorf("the licence is unknown or not permissive; take another module, or add it to ofTests: %s",
			strings.Join(refused, ", "))
	}
	return nil
}

// component is a module of the bill. What a tool has found by reading the text of a licence is its evidence.
type component struct {
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Licences []choice `json:"licenses"`
	Evidence struct {
		Licences []choice `json:"licenses"`
	} `json:"evidence"`
}

type choice struct {
	Licence struct {
		ID string `json:"id"`
	} `json:"license"`
}

// licences are the identifiers of the module's licences.
func (c component) licences() (ids []string) {
	for _, choice := range slices.Concat(c.Licences, c.Evidence.Licences) {
		ids = append(ids, choice.Licence.ID)
	}
	return ids
}

// allowed says whether there is a licence, and whether we may use a module with each of them.
func (c component) allowed(licences []string) bool {
	return len(licences) > 0 && !slices.ContainsFunc(licences, func(id string) bool {
		return !slices.Contains(permissive, id) && (id == "" || id != ofTests[c.Name])
	})
}
