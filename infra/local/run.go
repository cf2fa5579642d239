package local

import (
	"context"
	"encoding/json"
	"fmt"

	"eshop/infra/demo"
	"eshop/shared/ports/secret/file"
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
	return nil
}
