// Command drawings draws what the demo shop sells into the folder that it is told: a PNG for each product, as flat as
// the drawings of the shop's stylesheet, and a narrower one as the platform makes it, so that the demo shop need not at
// its start. The same program makes the same files: go generate ./infra/local.
//
//	canvas.go    paints shapes and makes the file
//	shape.go     makes shapes of curves
//	parts.go     draws what several products have: bags, tins, leaves, slices
//	products.go  the products
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"eshop/shared/images"
	"eshop/shared/picture"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("drawings: name the folder of the pictures")
	}
	for _, p := range products {
		files, err := p.files()
		if err != nil {
			log.Fatal(err)
		}
		for name, file := range files {
			if err := os.WriteFile(filepath.Join(os.Args[1], name), file, 0o644); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// files are a product's pictures by their names: in its own width, and in the one of images.Widths that is narrower.
func (p product) files() (map[string][]byte, error) {
	png, err := p.picture()
	if err != nil {
		return nil, err
	}
	clean, err := picture.Clean(context.Background(), "", png, images.Widths...)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{p.code + ".png": png}
	for _, n := range clean.Narrower {
		all[fmt.Sprintf("%s_%d.png", p.code, n.Width)] = n.Bytes
	}
	return all, nil
}
