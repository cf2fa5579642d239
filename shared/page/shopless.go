package page

import (
	"html/template"
	"net/http"
)

// shopless is the page of a host whose shop is not known (contract, "Names"): in English, for it is nobody's.
var shopless = template.Must(template.New("shopless").Parse(icon + `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title>
{{template "icon"}}
<style>body{font:1.125rem/1.6 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1.5rem;color:#1f2722}</style>
</head>
<body><h1>{{.Heading}}</h1><p>{{.Text}}</p>
<p>For developers: the <a href="/docs">reference of the API</a>.</p></body>
</html>
`))

type shoplessPage struct{ Title, Heading, Text string }

// Shopless writes the page of a host whose shop is not known: no shop has it, which is a 404, or whose it is cannot be
// told now.
func Shopless(w http.ResponseWriter, status int) error {
	p := shoplessPage{"Not available", "This page is not available right now", "Please try again in a moment."}
	if status == http.StatusNotFound {
		p = shoplessPage{"No shop here", "There is no shop here",
			"No shop on this platform has this address. Please check how it is spelled."}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	return shopless.Execute(w, p)
}
