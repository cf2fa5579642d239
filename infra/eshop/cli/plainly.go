package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// plainly is an error without the words of the language that the program is written in: who reads it wants to know what
// was wrong, and not which function noticed.
func plainly(err error) error {
	var (
		number syscall.Errno
		name   *net.DNSError
		slow   net.Error
		path   *fs.PathError
	)
	switch {
	case errors.As(err, &path):
		return fmt.Errorf("%s: %w", path.Path, plainly(path.Err))
	case errors.As(err, &number):
		return number
	case errors.As(err, &name) && name.IsNotFound:
		return errors.New("no host has the name " + name.Name)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &slow) && slow.Timeout():
		return errors.New("it did not answer in time")
	case name != nil:
		return errors.New("the name " + name.Name + " could not be looked up")
	case err != nil && strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return errors.New("it speaks http there, and not https")
	}
	return err
}

// badFlag says what is wrong with a flag. A command that does not exist is named first, for its flags are unknown, too.
func badFlag(command *cobra.Command, err error) error {
	if words := command.Flags().Args(); command.HasSubCommands() && len(words) > 0 {
		return noSuch(command, words)
	}
	var (
		missing *pflag.NotExistError
		empty   *pflag.ValueRequiredError
		bad     *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &bad):
		return fmt.Errorf("--%s takes %s, and not %q", bad.GetFlag().Name, bad.GetFlag().Value.Type(), bad.GetValue())
	case errors.As(err, &empty):
		return fmt.Errorf("--%s takes %s", empty.GetFlag().Name, empty.GetFlag().Value.Type())
	case !errors.As(err, &missing):
		return err
	}
	name := missing.GetSpecifiedName()
	if shorts := missing.GetSpecifiedShortnames(); shorts != "" {
		if command.Name() == "clock" && shorts[0] >= '0' && shorts[0] <= '9' { // clock -1h
			return errors.New("the clock goes forward only, as by eshop clock +83h")
		}
		name = shorts
	}
	if command.Flags().Lookup(name) != nil {
		return fmt.Errorf("-%s takes two dashes: --%s", name, name)
	}
	meant := perhaps("--", near(command, name))
	if command.Name() == "serve" {
		meant = " - its settings are variables, like ADDR=127.0.0.1:8080"
	}
	return fmt.Errorf("there is no flag --%s%s; %s --help lists them", name, meant, command.CommandPath())
}

// near are the command's flags with a name like this one. The library knows that of commands only, so each flag is one
// for a moment.
func near(c *cobra.Command, name string) []string {
	all := &cobra.Command{SuggestionsMinimumDistance: 2}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		all.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	return all.SuggestionsFor(name)
}
