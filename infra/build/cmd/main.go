// Command cmd builds the program of each function of THE list for Lambda, as infra/build/<name>/bootstrap, and prints
// their sizes.
package main

import (
	"compress/flate"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"eshop/functions"
)

const folder = "infra/build"

func main() {
	for _, f := range functions.List {
		out := filepath.Join(folder, f.Name, "bootstrap")
		if err := build(f.Name, out); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", f.Name, err)
			os.Exit(1)
		}
		size, zipped, err := sizes(out)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%-12s %5.1f MB, %4.1f MB zipped\n", f.Name, megabytes(size), megabytes(zipped))
	}
}

// build makes one program: the same bytes from the same source wherever it lies, since the asset's hash, and with it
// each deployment, goes by them.
func build(name, out string) error {
	cmd := exec.Command("go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w", "-o", out,
		"./functions/"+name+"/lambda")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
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
