//go:build !linux

package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// benchCommand says that the figures come of Linux's /proc.
func (o *options) benchCommand() *cobra.Command {
	return &cobra.Command{Use: "bench", Short: "Measure a platform on this machine: on Linux only", Args: takes("", 0),
		RunE: func(*cobra.Command, []string) error { return errors.New("bench measures on Linux only") }}
}
