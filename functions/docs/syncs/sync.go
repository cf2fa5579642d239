//go:build ignore

// Keeps a copy of a shop's products in a file, of nothing but the standard library:
//
//	BASE="https://…" TOKEN="esk_…" go run sync.go products.json
//
// The first run takes an export, each later one what has changed since. One run at a time: it ends when all is there.
package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// shop is what the file holds. Yours belongs into your database: a page and its cursor in one transaction.
var shop struct {
	Cursor   string                     `json:"cursor"`
	Products map[string]json.RawMessage `json:"products"`
}

// call calls the platform, again after 429 and 5xx, reads the answer into a value, and returns its status. One status
// beside 2xx may be expected; any other ends the program.
func call(into any, path, body string, expected int) int {
	method, client, key := "GET", http.Client{Timeout: time.Minute}, rand.Text()
	if body != "" {
		method = "POST"
	}
	for try := 1; ; try++ {
		r := must(http.NewRequest(method, os.Getenv("BASE")+path, strings.NewReader(body)))
		r.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", key) // a POST that is repeated begins no second export
		}
		answer := must(client.Do(r))
		text := must(io.ReadAll(answer.Body))
		answer.Body.Close()
		if answer.StatusCode < 300 || answer.StatusCode == expected {
			must(0, json.Unmarshal(text, into))
			return answer.StatusCode
		}
		if answer.StatusCode != 429 && answer.StatusCode < 500 || try == 10 {
			log.Fatalf("%s: %s %s", path, answer.Status, text)
		}
		wait, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		time.Sleep(time.Duration(max(wait, 1)) * time.Second)
	}
}

// begin fills the copy from an export and returns where the feed goes on from: a minute before the export was asked
// for, because what changes from then on may be in the file as it was before, or not at all.
func begin() string {
	var export struct {
		ID, State, DownloadURL string
		Rows                   int
		Created                time.Time
		Error                  any
	}
	call(&export, "/api-engine/exports", `{"type":"products","format":"jsonl"}`, 0)
	for export.State != "done" {
		if export.State == "failed" {
			log.Fatalf("the export failed: %v", export.Error)
		}
		time.Sleep(time.Second)
		call(&export, "/api-engine/exports/"+export.ID, "", 0)
	}
	file := must((&http.Client{Timeout: time.Hour}).Get(export.DownloadURL)) // without the token: another host
	defer file.Body.Close()
	rows, lines := 0, json.NewDecoder(file.Body)
	products := map[string]json.RawMessage{}
	for ; file.StatusCode == 200 && lines.More(); rows++ {
		var line json.RawMessage
		var product struct{ ID string }
		must(0, lines.Decode(&line))
		must(0, json.Unmarshal(line, &product))
		products[product.ID] = line // one that is there twice is newer the second time
	}
	if rows != export.Rows {
		log.Fatalf("%s: %d of %d lines came", file.Status, rows, export.Rows)
	}
	shop.Products = products
	return "types=products&from=" + export.Created.Add(-time.Minute).Format(time.RFC3339)
}

// change is an entry of the feed.
type change struct{ ID, Change, At string }

// apply brings the copy up to a page of the feed. What the feed names is fetched as it is now, so once is enough.
func apply(page []change) {
	newest := map[string]change{}
	for _, c := range page {
		if c.At >= newest[c.ID].At {
			newest[c.ID] = c
		}
	}
	for id, c := range newest {
		var have struct{ Changed string }
		_ = json.Unmarshal(shop.Products[id], &have) // without a product it stays ""
		var product json.RawMessage
		switch {
		case c.Change == "deleted":
			delete(shop.Products, id)
		case have.Changed >= c.At: // the copy knows
		case call(&product, "/api-engine/products/"+id, "", 404) == 404: // deleted since
			delete(shop.Products, id)
		default:
			shop.Products[id] = product
		}
	}
}

func main() {
	file := append(os.Args[1:], "products.json")[0]
	if text, err := os.ReadFile(file); err == nil {
		must(0, json.Unmarshal(text, &shop))
	} else if !os.IsNotExist(err) {
		log.Fatal(err)
	}
	const changes = "/api-engine/changes?itemsPerPage=250&"
	for {
		var page struct {
			Items      []change
			NextCursor string
		}
		// Without a cursor, or with one that the feed has forgotten (410 feed_expired), the copy begins anew.
		if shop.Cursor == "" || call(&page, changes+"cursor="+shop.Cursor, "", 410) == 410 {
			call(&page, changes+begin(), "", 0)
		}
		if len(page.Items) == 0 && page.NextCursor == shop.Cursor {
			break // there is nothing newer
		}
		apply(page.Items)
		shop.Cursor = page.NextCursor
		// A crash leaves the old file or the new one; what a run does again does no harm.
		must(0, os.WriteFile(file+".new", must(json.Marshal(shop)), 0o600))
		must(0, os.Rename(file+".new", file))
	}
	fmt.Println(len(shop.Products), "products")
}

// must returns v, or ends the program: the next run goes on from the last page that was saved.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
