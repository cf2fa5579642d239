// Command eshop is the whole platform in one process, and what the author of an add-on does with one.
package main

import (
	"os"
	"path/filepath"
	"time"

	"eshop/infra/eshop/cli"
)

func main() {
	config, err := os.UserConfigDir()
	if err == nil {
		config = filepath.Join(config, "eshop")
	}
	os.Exit(cli.Main(os.Args[1:], cli.Shell{Getenv: os.Getenv, In: os.Stdin, Out: os.Stdout, Errs: os.Stderr,
		Every: time.Second, Config: config}))
}
