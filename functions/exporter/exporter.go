// Package exporter makes the files of exports (contract, section 10): everything of a type, read in pages and streamed
// into the bucket, so that a file of any size takes the memory of a page. What an export is, is shared/exports.
//
// # A tour
//
// exporter.go claims an export and ends it, run.go reads the records and moves the export on, sheet.go writes them as
// CSV.
package exporter

import (
	"context"
	"errors"
	"net/http"
	"time"

	"eshop/shared/blob"
	"eshop/shared/exports"
	"eshop/shared/host"
	"eshop/shared/imports"
	"eshop/shared/problem"
	"eshop/shared/store"
)

// Function is the exporter's entry in THE list.
var Function = host.Function{
	Name: "exporter", Doc: "Makes the files of exports.",
	Upload: &host.Upload{
		Prefix: exports.Asks, Margin: mostTime,
		Handler: func(p *host.Platform) func(context.Context, string) error { return (&exporter{p}).asked },
		// Nobody outside gets an address to put such an object.
		MayUpload: func(context.Context, *host.Platform, string) error { return nil },
	},
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Files, Does: []host.Action{host.Write}},
	},
	Timeout:             15 * time.Minute,
	Memory:              1769, // one whole processor
	ReservedConcurrency: 5,    // exports of many shops wait for each other, and leave the tables to requests
}

// mostTime is how much longer than a turn a file may take in the one process, which adds the Margin to a turn: one
// cannot be gone on with in the middle. On AWS the function's Timeout ends it.
const mostTime = 14 * time.Minute

// exporter makes files: in the one process of several shops side by side, on AWS one in each call.
type exporter struct{ *host.Platform }

// asked makes the file of the export whose object came. If it returns an error, the host calls again.
func (e *exporter) asked(ctx context.Context, key string) error {
	shop, id, ok := exports.OfKey(key)
	if !ok {
		return nil
	}
	j, err := e.Exports().ReadAny(ctx, shop, id)
	if problem.Is(err, "not_found") {
		return e.Exports().Answered(ctx, shop, id)
	}
	if err != nil {
		return err
	}
	mine, err := e.Exports().Claim(ctx, e.Unit(), j, e.Alone)
	if err == nil && mine {
		err = e.make(ctx, j)
	}
	switch {
	case errors.Is(err, exports.ErrLost): // whoever has it now goes on
		return nil
	case err != nil && mine:
		return errors.Join(err, e.release(ctx, j, !unavailable(err)))
	}
	if err == nil && (j.State == imports.Done || j.State == imports.Failed) {
		err = e.Exports().Answered(ctx, shop, id)
	}
	return err
}

// releaseWithin is how long the write that gives an export up may take when the time is over already.
const releaseWithin = 3 * time.Second

// release gives the export up, so that the host's next call can claim it at once.
func (e *exporter) release(ctx context.Context, j *exports.Job, counts bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
	defer cancel()
	if err := e.Exports().Release(ctx, e.Unit(), j, counts); !errors.Is(err, exports.ErrLost) {
		return err
	}
	return nil
}

// unavailable says whether it was a store that could not serve.
func unavailable(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, blob.ErrUnavailable) || problem.Is(err, "unavailable")
}

// make makes the file, and ends the export: done, or failed where its access may not read the type any more.
func (e *exporter) make(ctx context.Context, j *exports.Job) error {
	err := (&run{exporter: e, j: j, moved: e.Now()}).do(ctx)
	var refused *problem.Problem
	switch {
	case err == nil:
		j.Finish(e.Now())
	case errors.As(err, &refused) && refused.Status == http.StatusForbidden: // only Job.Allowed says that
		j.Refuse(refused)
	default:
		return err
	}
	return e.Exports().Move(ctx, e.Unit(), j)
}
