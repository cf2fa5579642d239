package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// platform is the installation's API, which is asked with the operator's token.
type platform struct{ url, token string }

// shop is what matters here of one.
type shop struct{ ID, Domain, ReadyDomain, WebsiteURL string }

// mayHave says why a shop cannot have the domain: there is no such shop, or another one has it.
func (p platform) mayHave(ctx context.Context, id, domain string) error {
	has, err := p.has(ctx, domain)
	if err != nil || has.ID == id {
		return err
	}
	if has.ID != "" {
		return fmt.Errorf("%s is the domain of the shop %s", domain, has.ID)
	}
	return p.ask(ctx, "GET", "/operator/shops/"+id, nil, &shop{})
}

// has is the shop that has the domain, without an id if none has.
func (p platform) has(ctx context.Context, domain string) (shop, error) {
	var found struct{ Items []shop }
	err := p.ask(ctx, "GET", "/operator/shops?domain="+url.QueryEscape(domain), nil, &found)
	return append(found.Items, shop{})[0], err
}

// ready gives the shop the domain, and says that it serves: from then on the shop's addresses begin with it. It does
// nothing where that is so.
func (p platform) ready(ctx context.Context, id, domain string) (s shop, err error) {
	at := "/operator/shops/" + id
	if err = p.ask(ctx, "GET", at, nil, &s); err != nil || s.Domain == domain && s.ReadyDomain == domain {
		return s, err
	}
	return s, p.ask(ctx, "PATCH", at, map[string]any{"domain": domain, "readyDomain": domain}, &s)
}

// unready says that the domain no longer serves its shop, whose addresses then lie below the platform's own name again.
func (p platform) unready(ctx context.Context, domain string) error {
	s, err := p.has(ctx, domain)
	if err != nil || s.ReadyDomain != domain {
		return err
	}
	return p.ask(ctx, "PATCH", "/operator/shops/"+s.ID, map[string]any{"readyDomain": nil}, &s)
}

// ask makes a request, and decodes the answer into out. An answer that is no success is an error, which says what the
// platform has against the request.
func (p platform) ask(ctx context.Context, method, path string, body, out any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, p.url+path, &sent)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json")
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	if got.StatusCode >= 300 {
		var problem struct{ Code, Detail string }
		_ = json.NewDecoder(got.Body).Decode(&problem)
		return fmt.Errorf("the platform answers %s %s with %s: %s", method, path, got.Status,
			cmp.Or(problem.Detail, problem.Code, "OPERATOR_TOKEN may be wrong"))
	}
	return json.NewDecoder(got.Body).Decode(out)
}
