package local

import (
	"context"
	"encoding/json"
	"fmt"

	"eshop/infra/demo"
	"eshop/shared/ports/secret/file"
	"eshop/shared/record"
	"eshop/shared/shop"
)

// Run is DATA/run.json (contract, "The one process").
type Run struct {
	BaseURL       string    `json:"baseUrl"`
	OperatorToken string    `json:"operatorToken"`
	Demo          *demo.Run `json:"demo,omitempty"`
}

// ready does what needs a serving platform, then writes run.json.
func (s *Server) ready(ctx context.Context) (err error) {
	if s.Run.Demo, err = s.demo.Ready(ctx); err != nil {
		return fmt.Errorf("cannot prepare the demo shop: %w", err)
	}
	b, err := json.MarshalIndent(s.Run, "", "  ")
	if err != nil {
		return err
	}
	if err := file.Write(s.path("run.json"), append(b, '\n')); err != nil {
		return fmt.Errorf("cannot write run.json: %w", reason(err))
	}
	// Only now: whoever sees 200 at /healthz finds run.json written.
	s.served.Store(true)
	s.tellOldIndexes(ctx) // behind it: it reads of each shop, and nothing waits for it
	return nil
}

// tellOldIndexes says in one line that shops have an index of searches that an older version has made: their
// storefronts show nothing in categories and searches until it is made anew.
func (s *Server) tellOldIndexes(ctx context.Context) {
	p, old := s.Platform, false
	shops := shop.Shops(shop.Names{}, nil)
	err := eachRecord(ctx, shops.Listing(p.Main, ""), record.Load(p.Main, shops.Show), func(one shop.Shop) error {
		is, err := p.Search().IsOld(ctx, one.ID)
		old = old || is
		return err
	})
	if err != nil {
		p.Log.Warn("whether the index of searches is an older one is not known", "error", err)
	} else if old {
		p.Log.Warn("the index of searches is of an older version: `eshop reindex` makes it anew")
	}
}
