// Package gifts is an add-on whole: the one that `eshop init addon` writes, in Go or in Node, and that the demo shop
// has. It sells each product as a gift, at a price of its own, with a label that the shopper has drawn. Of the platform
// it knows the HTTP API and the frontend contract and nothing else, and README.md tells the rest to whoever has a copy.
//
// A copy is package main with main.go.txt as its main.go; in Node it has the files of node instead of those in Go. This
// file is not copied.
package gifts

import "embed"

// Files are what is copied. A go.mod has another name, since files below one are not embedded.
//
//go:embed *.go *.txt README.md .gitignore widget.html node
var Files embed.FS
