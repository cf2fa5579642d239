// Command cmd builds for Lambda, as infra/stack/build/<name>/bootstrap, the program of each function of THE list and
// the one of the stack itself.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"eshop/functions"
)

func main() {
	arch := flag.String("arch", "arm64", "the processors that they are for, as Go names them; Lambda's are arm64")
	flag.Parse()
	build("rehearsal", "./infra/stack/rehearsal", *arch)
	for _, f := range functions.List {
		build(f.Name, "./functions/"+f.Name+"/lambda", *arch)
	}
}

// build makes one program, without which there is nothing to deploy: the same bytes from the same source wherever it
// lies, since the asset's hash, and with it each deployment, goes by them.
func build(name, from, arch string) {
	cmd := exec.Command("go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w",
		"-o", filepath.Join("infra/stack/build", name, "bootstrap"), from)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
