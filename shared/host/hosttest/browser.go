package hosttest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/stretchr/testify/require"

	"eshop/shared/record/field"
	"eshop/shared/shop"
)

// Browser is somebody's, at one host. It keeps cookies.
type Browser struct {
	W       *World
	Host    string
	Address string // of the connection
	Cookies map[string]string
}

// Visitor is somebody new at a host.
func (w *World) Visitor(host string) *Browser {
	return &Browser{W: w, Host: host, Address: "203.0.113.7:4711", Cookies: map[string]string{}}
}

// AdminOf is the host of the admin of the shop that has a domain, or would have it.
func (w *World) AdminOf(domain string) string {
	w.T.Helper()
	s, err := w.P.Hosts.ByStorefront(w.T.Context(), domain)
	require.NoError(w.T, err)
	if s == nil {
		s = &shop.Shop{Fields: shop.Fields{Domain: field.Domain(domain)}}
	}
	_, name, _ := strings.Cut(w.P.Shops.Admin(*s), "://")
	return name
}

// The types of bodies and answers.
const (
	JSONType = "application/json"
	FormType = "application/x-www-form-urlencoded"
	PageType = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
)

// Request is one as the browser makes it; headers are names and values in turn.
func (b *Browser) Request(method, path, contentType, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "http://"+b.Host, strings.NewReader(body))
	target, err := url.ParseRequestURI(path)
	require.NoError(b.W.T, err)
	r.URL, r.RequestURI, r.RemoteAddr = target, path, b.Address
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for name, value := range b.Cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// Ask is the answer to a request, whose cookies are kept.
func (b *Browser) Ask(method, path, contentType, body string, headers ...string) Answer {
	b.W.T.Helper()
	return b.Send(b.Request(method, path, contentType, body, headers...))
}

// Send is the answer to a request, whose cookies are kept.
func (b *Browser) Send(r *http.Request) Answer {
	b.W.T.Helper()
	a := b.W.Serve(r)
	for _, c := range (&http.Response{Header: a.Header}).Cookies() {
		if b.Cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.Cookies, c.Name)
		}
	}
	return a
}

// JSON is what a script in a page asks; a body of nil is none.
func (b *Browser) JSON(method, path string, body any, headers ...string) Answer {
	b.W.T.Helper()
	if body == nil {
		return b.Ask(method, path, "", "", headers...)
	}
	text, is := body.(string)
	if !is {
		raw, err := json.Marshal(body)
		require.NoError(b.W.T, err)
		text = string(raw)
	}
	return b.Ask(method, path, JSONType, text, headers...)
}

// Page is what a person sees at an address.
func (b *Browser) Page(path string) Answer {
	b.W.T.Helper()
	return b.Ask("GET", path, "", "", "Accept", PageType)
}

// Form is the answer to a form that is sent: names and values in turn.
func (b *Browser) Form(path string, fields ...string) Answer {
	b.W.T.Helper()
	values := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		values.Add(fields[i], fields[i+1])
	}
	return b.Ask("POST", path, FormType, values.Encode(), "Accept", PageType, "Sec-Fetch-Site", "same-origin")
}

// Shown wants a page of a status, for a person.
func (a Answer) Shown(status int) Answer {
	a.T.Helper()
	a.Is(status)
	require.Equal(a.T, "text/html; charset=utf-8", a.Header.Get("Content-Type"), a.Text)
	return a
}

// Leads wants an answer that leads to an address.
func (a Answer) Leads(status int, location string) Answer {
	a.T.Helper()
	a.Is(status)
	require.Equal(a.T, location, a.Header.Get("Location"))
	return a
}
