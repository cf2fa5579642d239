package storefront

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/catalog/shelf"
)

// registerForCrawlers registers what crawlers read of a shop. They are views of the shop's host for which no basket is
// made and no cookie set; caches may keep them for an hour.
func (d door) registerForCrawlers(a *api.API) {
	public := func(route, contentType string, write func(c *api.Call, v *visit) (string, error)) {
		people := &api.People{
			Enter: func(c *api.Call) error { _, err := d.openVisit(c); return err },
			Show: func(c *api.Call, w http.ResponseWriter, outcome api.Outcome) error {
				if outcome.Refused != nil {
					return outcome.Refused
				}
				h := w.Header()
				h.Set("Content-Type", contentType)
				h.Set("Cache-Control", "public, max-age=3600")
				_, err := w.Write([]byte(outcome.Body.(string)))
				return err
			},
		}
		a.AddView(api.Op{Route: route, People: people}, func(c *api.Call) (any, error) {
			return write(c, visitOf(c))
		})
	}
	public("GET /robots.txt", "text/plain; charset=utf-8",
		func(_ *api.Call, v *visit) (string, error) {
			return robots(v.website), nil
		})
	public("GET /sitemap.xml", "application/xml; charset=utf-8", d.sitemap)
}

// ownSitemap is the name of the sitemap with the pages that the shop has written: contact, terms, privacy.
const ownSitemap = "pages"

// sitemap is the index of the shop's sitemap, or one of its parts.
func (d door) sitemap(c *api.Call, v *visit) (string, error) {
	values := c.HTTP().URL.Query()
	own := v.shop.Look.Pages
	if !values.Has("part") {
		parts, err := d.Shelf.SitemapNames(c, v.shop.ID)
		if len(own) > 0 {
			parts = append(slices.Clone(parts), ownSitemap)
		}
		return sitemapIndex(v.website, parts), err
	}
	if values.Get("part") == ownSitemap && len(own) > 0 {
		var urls []shelf.SitemapEntry
		for _, page := range own {
			urls = append(urls, shelf.SitemapEntry{Slug: page})
		}
		return sitemap(v.website, urls), nil
	}
	urls, ok, err := d.Shelf.Sitemap(c, v.shop.ID, values.Get("part"))
	if err == nil && !ok {
		err = problem.NotFound()
	}
	return sitemap(v.website, urls), err
}

// robots tells crawlers to leave out what is each visitor's own.
func robots(website string) string {
	var b bytes.Buffer
	b.WriteString("User-agent: *\n")
	for _, path := range []string{"/account$", "/account?", "/account/", "/basket$", "/basket?", "/basket/",
		"/checkout$", "/checkout?",
		"/consent$", "/order/"} { // and not what begins like them: /basketball
		b.WriteString("Disallow: " + path + "\n")
	}
	fmt.Fprintf(&b, "\nSitemap: %s/sitemap.xml\n", website)
	return b.String()
}
