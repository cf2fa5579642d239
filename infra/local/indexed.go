package local

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/host"
	"eshop/shared/record"
	"eshop/shared/shop"
	"eshop/shared/store"
)

// indexedKey is the row that says that the index of searches has all that was stored before there was one. A was an
// index without the list of products by name, B one without the words of their short descriptions.
var indexedKey = store.Key{PK: "INDEXED", SK: "C"}

// indexOlder indexes the records of a data folder of a release without an index, once; what changes since, the indexer
// takes from the feed. It tries until it is done or ctx ends.
func (s *Server) indexOlder(ctx context.Context) {
	for ctx.Err() == nil {
		err := s.indexAll(ctx)
		if err == nil {
			return
		}
		if ctx.Err() == nil {
			s.Platform.Log.Error("the index of searches could not be made, trying again", "error", err)
			wait(ctx, time.Second)
		}
	}
}

// indexAll indexes the records of all shops, unless that was done before.
func (s *Server) indexAll(ctx context.Context) error {
	p := s.Platform
	done, err := p.Pipeline.Get(ctx, indexedKey)
	if err != nil || done[0] != nil {
		return err
	}
	shops := shop.Kind(shop.Names{}, nil)
	for next, more := "", true; more; more = next != "" {
		var some []shop.Shop
		some, next, err = record.Page(ctx, shops.Listing(p.Main, ""), record.Asked{After: next, Limit: 100},
			record.Load(p.Main, shops.Show))
		if err != nil {
			return err
		}
		for _, one := range some {
			if err := s.indexShop(ctx, one.ID); err != nil {
				return err
			}
		}
	}
	return markIndexed(ctx, p)
}

// markIndexed writes down that the index has all that is older than the feed.
func markIndexed(ctx context.Context, p *host.Platform) error {
	_, err := p.Pipeline.Write(ctx, events.Nothing, store.Put(store.Item{Key: indexedKey, Doc: []byte("{}")}))
	return err
}

// indexShop indexes the records of one shop.
func (s *Server) indexShop(ctx context.Context, shop string) error {
	for from, more := "", true; more; more = from != "" {
		step, err := s.Platform.Search().Rebuild(ctx, shop, from)
		if err != nil {
			return err
		}
		from = step.Next
	}
	return nil
}
