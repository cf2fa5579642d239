// Command {{name}} is an add-on of an e-shop: README.md tells how to run it, and what to change.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	keys, err := parseKeys(os.Getenv("WEBHOOK_KEYS"))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "8090"))
	if err != nil {
		return err
	}
	a := &addon{
		platform: cmp.Or(os.Getenv("PLATFORM"), "http://127.0.0.1:8080"),
		address:  cmp.Or(os.Getenv("ADDRESS"), "http://"+listener.Addr().String()),
		keys:     keys,
		file:     ".shops.json",
	}
	if err := a.load(); err != nil {
		return err
	}
	if token := os.Getenv("ESHOP_TOKEN"); token != "" {
		if err := a.setUp(ctx, shop{Token: token}); err != nil {
			return fmt.Errorf("ESHOP_TOKEN: %w", err)
		}
	}
	fmt.Println("listening on", listener.Addr())
	server := http.Server{Handler: a, ReadTimeout: 10 * time.Second}
	return server.Serve(listener)
}
