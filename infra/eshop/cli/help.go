package cli

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// helpColumns is how wide help is at most.
const helpColumns = "100"

// helpful sets how all commands show help: no wider than helpColumns, with the exit codes, in colour on a terminal.
func helpful(root *cobra.Command, o *options) {
	usage := root.UsageTemplate() + exitCodes
	usage = strings.ReplaceAll(usage, ".FlagUsages", ".FlagUsagesWrapped "+helpColumns)
	if o.colours(o.Out) {
		var coloured strings.Builder
		for line := range strings.Lines(usage) {
			if title, rest, is := strings.Cut(line, ":"); is && strings.TrimSpace(rest) == "" && title != "" &&
				!strings.ContainsAny(title, " {") {
				line = bold + title + ":" + normal + rest
			}
			coloured.WriteString(line)
		}
		usage = strings.ReplaceAll(coloured.String(), "{{.Title}}", bold+"{{.Title}}"+normal)
		usage = strings.ReplaceAll(usage, "{{rpad .Name .NamePadding }}", cyan+"{{rpad .Name .NamePadding }}"+normal)
	}
	root.SetUsageTemplate(usage)
	tidy(root)
}

// What makes a terminal write in colour.
const bold, red, cyan, normal = "\x1b[1m", "\x1b[31m", "\x1b[36m", "\x1b[0m"

// colours says whether colours may be written there: on a terminal, unless NO_COLOR is set (no-color.org).
func (o *options) colours(w io.Writer) bool {
	f, is := w.(*os.File)
	return is && term.IsTerminal(int(f.Fd())) && o.Getenv("NO_COLOR") == ""
}

// tidy takes the backticks out of what flags say, which completions would show: the word between them, by which help
// calls the value, becomes the flag's type.
func tidy(command *cobra.Command) {
	command.Flags().VisitAll(func(f *pflag.Flag) {
		if called, usage := pflag.UnquoteUsage(f); usage != f.Usage {
			f.Usage, f.Value = usage, named{f.Value, called}
			if f.DefValue == "[]" { // a list of nothing
				f.DefValue = ""
			}
		}
	})
	for _, below := range command.Commands() {
		tidy(below)
	}
}

// named is a flag's value whose type has a name of its own.
type named struct {
	pflag.Value
	called string
}

func (n named) Type() string { return n.called }
