// Command panics is a function in Lambda that panics at each request, and at each message of a queue when it is told to
// have one.
package main

import (
	"context"
	"net/http"
	"os"

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/lambda"
	"eshop/shared/ports/queue"
)

func main() {
	f := host.Function{Name: "panics", HTTP: func(_ *host.Platform, a *api.API) {
		a.Handle("GET /customers", http.HandlerFunc(func(http.ResponseWriter,
			*http.Request) {
			panic("a secret of the program")
		}))
	}}
	if os.Getenv("MESSAGES") != "" {
		f = host.Function{Name: "panics", Messages: &host.Messages{
			Handler: func(*host.Platform) func(context.Context, []queue.Received) []queue.Received {
				return func(context.Context, []queue.Received) []queue.Received { panic("a secret of the program") }
			},
		}}
	}
	lambda.Serve(f)
}
