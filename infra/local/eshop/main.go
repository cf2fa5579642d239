// Command eshop is the whole platform in one process, and what the author of an add-on does with one.
package main

import (
	"os"
	"time"

	"eshop/infra/local/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Shell{Getenv: os.Getenv, Out: os.Stdout, Errs: os.Stderr, Every: time.Second}))
}
