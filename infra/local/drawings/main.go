// Command drawings draws what the demo shop sells into the folder that it is told: a PNG for each product, as flat as
// the drawings of the shop's stylesheet. The same program makes the same files: go generate ./infra/local.
//
//	canvas.go    paints shapes and makes the file
//	shape.go     makes shapes of curves
//	parts.go     draws what several products have: bags, tins, leaves, slices
//	products.go  the products
package main

import (
	"log"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("drawings: name the folder of the pictures")
	}
	for _, p := range products {
		png, err := p.picture()
		if err == nil {
			err = os.WriteFile(filepath.Join(os.Args[1], p.code+".png"), png, 0o644)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
