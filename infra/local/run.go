package local

import (
	"context"
	"encoding/json"
	"fmt"

	"eshop/shared/ports/secret/file"
)

// Run is DATA/run.json (contract, section 8).
type Run struct {
	BaseURL       string   `json:"baseUrl"`
	OperatorToken string   `json:"operatorToken"`
	Demo          *RunDemo `json:"demo,omitempty"`
}

// RunDemo is the demo shop in run.json.
type RunDemo struct {
	ShopID        string    `json:"shopId"`
	AccessID      string    `json:"accessId"`
	Token         string    `json:"token"`
	StorefrontURL string    `json:"storefrontUrl"`
	Admin         *RunAdmin `json:"admin,omitempty"` // nobody where they were deleted
}

// RunAdmin is who signs in to the demo shop's admin, in run.json.
type RunAdmin struct {
	URL      string `json:"url"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

// ready does what needs a serving platform, then writes run.json.
func (s *Server) ready(ctx context.Context) error {
	if err := s.demo.ready(ctx); err != nil {
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
	return nil
}
