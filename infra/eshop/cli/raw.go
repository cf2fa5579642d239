package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// rawCommand is the command that makes a request as it is written.
func (o *options) rawCommand(method, short, example string) *cobra.Command {
	name := strings.ToLower(method)
	cmd := &cobra.Command{
		Use: name + " PATH", Short: short,
		Long: short + `, and show the answer's body. The token is the operator's for
/operator, a developer's for /developer, and one of your access for all else. A refusal is an error,
and its body is shown, too.`,
		Example: example,
		Args: func(_ *cobra.Command, words []string) error {
			if len(words) != 1 || !strings.HasPrefix(words[0], "/") {
				return fmt.Errorf("%s takes a path, like /api-engine/products", name)
			}
			return nil
		},
	}
	if method != "GET" && method != "DELETE" {
		cmd.Flags().StringVar(&o.data, "data", "", "the `JSON` of the body, @FILE, or - for what is piped in")
	}
	o.asks(cmd, nil, ofAccess) // for its flags: which token, the path says
	cmd.Flags().Lookup("token").Usage = "a `TOKEN` (default $OPERATOR_TOKEN, $ESHOP_DEVELOPER_TOKEN or $ESHOP_TOKEN, " +
		"as the path asks for); better in the environment than here"
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return o.ask(raw(method), doorOf(words[0]))(cmd, words)
	}
	return cmd
}

// doorOf is the environment's name for the token that a path asks for.
func doorOf(path string) string {
	for prefix, variable := range map[string]string{"/operator": ofOperator, "/developer": ofDeveloper} {
		if rest, is := strings.CutPrefix(path, prefix); is && (rest == "" || rest[0] == '/' || rest[0] == '?') {
			return variable
		}
	}
	return ofAccess
}

// raw makes one request and shows the answer's body: JSON over several lines for people, in one with --json.
func raw(method string) work {
	return func(ctx context.Context, c *client, o options) error {
		body, err := o.body()
		if err != nil {
			return err
		}
		text, err := c.call(ctx, method, o.argument, body)
		if len(text) > 0 {
			o.show(text)
		}
		return err
	}
}

// show writes a body.
func (o options) show(text []byte) {
	var pretty bytes.Buffer
	if json.Valid(text) {
		_ = json.Compact(&pretty, text)
		text = []byte(escaped(pretty.Bytes())) // before there are ends of lines
		if !o.json {
			pretty.Reset()
			_ = json.Indent(&pretty, text, "", "  ")
			text = pretty.Bytes()
		}
	}
	fmt.Fprintln(o.Out, string(text))
}

// body is what --data says. It must be JSON, as all bodies are that the platform takes here.
func (o options) body() ([]byte, error) {
	var text []byte
	var err error
	switch file, is := strings.CutPrefix(o.data, "@"); {
	case o.data == "":
		return nil, nil
	case o.data == "-":
		if o.In == nil {
			return nil, errors.New("--data - takes what is piped in")
		}
		text, err = io.ReadAll(o.In)
	case is:
		text, err = os.ReadFile(file)
	default:
		text = []byte(o.data)
	}
	if err == nil && !json.Valid(text) {
		err = errors.New("--data is no JSON")
	}
	return text, plainly(err)
}
