package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"eshop/infra/demo/gifts"
	"eshop/shared/base/slug"
)

// language is how an add-on in it is run and tested, what its README says of its files, and which of package gifts they
// are.
type language struct {
	run, test, files string
	from             []string
}

var languages = map[string]language{
	"go": {"go run .", "go test ./...", "| `addon.go` | takes webhooks, installs itself, keeps shops |\n" +
		"| `quote.go` | makes the price and its quote |\n" +
		"| `webhook.go`, `platform.go` | verify what comes from the platform, call its API |",
		[]string{"*.go", "*.txt"}},
	"node": {"node main.js", "node --test",
		"| `addon.js` | takes webhooks, installs itself, keeps shops, makes quotes |\n" +
			"| `webhook.js`, `platform.js` | verify what comes from the platform, call its API |",
		[]string{"node/*"}},
}

func (o *options) initCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "addon FOLDER", Short: "Write a small add-on that runs, with its tests",
		Long: `Write a small add-on into a folder that is empty or not there yet. It verifies webhooks, exchanges
the install code of packageActivate for a token, puts one custom code into the shop's pages, and
quotes one price, with a note and a picture. The demo shop has it. It wants nothing but Go, or
Node 20. Its README.md tells how to run it against a hosted platform, and against one on this
machine.`,
		Example: "  eshop init addon gifts\n  eshop init addon gifts --lang node",
		Args:    takes("the folder to write it into", 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: o.run(initAddon),
	}
	command.Flags().StringVar(&o.lang, "lang", "go", "the `LANGUAGE` it is written in: go or node")
	_ = command.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions([]string{"go", "node"}, // the flag is there
		cobra.ShellCompDirectiveNoFileComp))
	all := &cobra.Command{Use: "init", Short: "Begin an add-on"}
	all.AddCommand(o.shows(command))
	return all
}

// initAddon writes an add-on into the folder, under the folder's name.
func initAddon(_ context.Context, _ *client, opts options) error {
	of, known := languages[opts.lang]
	if !known {
		return fmt.Errorf("--lang %q is neither go nor node", opts.lang)
	}
	folder, err := filepath.Abs(opts.argument)
	if err != nil {
		return err
	}
	there, err := os.ReadDir(folder)
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	case len(there) > 0:
		return fmt.Errorf("%s is not empty: name a new folder", opts.argument)
	}
	name := slug.Make(filepath.Base(folder))
	if name == "" {
		name = "addon"
	}
	fill := strings.NewReplacer("{{name}}", name, "{{run}}", of.run, "{{test}}", of.test, "{{files}}", of.files,
		"package gifts\n", "package main\n")
	var written []string
	for _, pattern := range append(of.from, "README.md", ".gitignore", "widget.html") {
		files, err := fs.Glob(gifts.Files, pattern)
		if err != nil {
			return err
		}
		for _, name := range files {
			if name == "files.go" {
				continue
			}
			text, err := gifts.Files.ReadFile(name)
			if err != nil {
				return err
			}
			file := strings.TrimSuffix(path.Base(name), ".txt")
			written = append(written, file)
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(folder, file), []byte(fill.Replace(string(text))), 0o644); err != nil {
				return err
			}
		}
	}
	opts.tell(object{"folder": folder, "name": name, "files": written},
		"%s is an add-on of %d files: test it by %s there, and its README.md tells the rest", opts.argument,
		len(written), of.test)
	return nil
}
