// Command cmd builds the program of each function of THE list for Lambda, and those of the stack itself, as
// infra/stack/build/<name>/bootstrap, and prints their sizes.
package main

import (
	"compress/flate"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"eshop/functions"
)

const folder = "infra/stack/build"

func main() {
	arch := flag.String("arch", "arm64", "the processors that they are for, as Go names them; Lambda's are arm64")
	flag.Parse()
	programs := []program{{"rehearsal", "./infra/stack/rehearsal"}}
	for _, f := range functions.List {
		programs = append(programs, program{f.Name, "./functions/" + f.Name + "/lambda"})
	}
	for _, p := range programs {
		out := filepath.Join(folder, p.name, "bootstrap")
		if err := build(p.from, out, *arch); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", p.name, err)
			os.Exit(1)
		}
		size, zipped, err := sizes(out)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%-12s %5.1f MB, %4.1f MB zipped\n", p.name, megabytes(size), megabytes(zipped))
	}
}

// program is a package that is built, and the name that it goes by.
type program struct{ name, from string }

// build makes one program: the same bytes from the same source wherever it lies, since the asset's hash, and with it
// each deployment, goes by them.
func build(from, out, arch string) error {
	cmd := exec.Command("go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w", "-o", out,
		from)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// sizes are the program's and what Lambda fetches of it.
func sizes(path string) (plain, zipped int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	var n counter
	z, err := flate.NewWriter(&n, flate.DefaultCompression)
	if err != nil {
		return 0, 0, err
	}
	if plain, err = io.Copy(z, f); err != nil {
		return 0, 0, err
	}
	err = z.Close()
	return plain, int64(n), err
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }
