package lambda

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"eshop/shared/base/egress"
)

// logTo makes this the log of the process, also for Go's own packages. Of their lines it leaves out what strangers have
// sent.
func logTo(w io.Writer) {
	l := logger(w)
	slog.SetDefault(l)
	egress.Quiet(l, time.Now)
}

// logger writes one JSON object a line, with the id of Lambda's request where there is one. The time has the name that
// Lambda's own filter of levels looks for.
func logger(w io.Writer) *slog.Logger {
	return slog.New(withInvocation{slog.NewJSONHandler(w, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				a.Key = "timestamp"
			}
			return a
		},
	})})
}

// withInvocation adds the id of Lambda's request, by which all lines of one invocation are found.
type withInvocation struct{ slog.Handler }

// Handle adds the id of Lambda's request.
func (h withInvocation) Handle(ctx context.Context, r slog.Record) error {
	if l, ok := lambdacontext.FromContext(ctx); ok {
		r.AddAttrs(slog.String("invocation", l.AwsRequestID))
	}
	return h.Handler.Handle(ctx, r)
}

func (h withInvocation) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withInvocation{h.Handler.WithAttrs(attrs)}
}

func (h withInvocation) WithGroup(name string) slog.Handler {
	return withInvocation{h.Handler.WithGroup(name)}
}
