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
	shops, err := list[struct{ ID string }](ctx, c, "/operator/shops?itemsPerPage=250")
	for _, shop := range shops {
		if err == nil {
			err = reindexShop(ctx, c, o, shop.ID)
		}
	}
	return err
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
