// Command eshop is the whole platform in one process.
package main

import (
	"os"

	"eshop/infra/local"
)

func main() { os.Exit(local.Main(os.Getenv, os.Stdout, os.Stderr)) }
