package cli

import (
	"context"
	"fmt"
	"net/url"
)

// reindex makes the index of searches anew, of one shop or of all, a few hundred records in a call, and says how far it
// is. Interrupted, it can begin again at any time.
func reindex(ctx context.Context, c *client, o options) error {
	if o.argument != "" {
		return reindexShop(ctx, c, o, o.argument)
	}
	type page struct {
		Items      []struct{ ID string }
		NextCursor string
	}
	for path := "/operator/shops"; ; {
		shops, err := ask[page](ctx, c, "GET", path, nil)
		if err != nil {
			return err
		}
		for _, shop := range shops.Items {
			if err := reindexShop(ctx, c, o, shop.ID); err != nil {
				return err
			}
		}
		if shops.NextCursor == "" {
			return nil
		}
		path = "/operator/shops?cursor=" + url.QueryEscape(shops.NextCursor)
	}
}

// reindexShop is reindex of one shop.
func reindexShop(ctx context.Context, c *client, o options, shop string) error {
	type part struct {
		Indexed int
		Next    string
	}
	indexed := 0
	for body := (object{}); ; {
		done, err := ask[part](ctx, c, "POST", "/operator/shops/"+url.PathEscape(shop)+"/search-index", body)
		if err != nil {
			return fmt.Errorf("shop %s, after %d records: %w", shop, indexed, err)
		}
		indexed += done.Indexed
		if done.Next == "" {
			o.tell(object{"shopId": shop, "indexed": indexed, "done": true},
				"shop %s: %d records indexed", shop, indexed)
			return nil
		}
		o.tell(object{"shopId": shop, "indexed": indexed, "done": false}, "shop %s: %d records so far", shop, indexed)
		body = object{"from": done.Next}
	}
}
