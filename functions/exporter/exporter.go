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
	"time"

	"eshop/shared/exports"
	"eshop/shared/host"
	"eshop/shared/imports"
	"eshop/shared/problem"
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
		{Resource: host.Files, Does: []host.Action{host.Read, host.Write}},
	},
	Timeout:             15 * time.Minute,
	Memory:              1769, // one whole processor
	ReservedConcurrency: 5,    // exports of many shops wait for each other, and leave the tables to requests
}

// mostTime is how long a file may take. One cannot be gone on with, so no turn ends it before that.
const mostTime = 14 * time.Minute

// exporter makes files: in the one process of several shops side by side, on AWS one in each call.
type exporter struct{ *host.Platform }

// asked makes the file of the export whose object came. If it returns an error, the host calls again.
func (e *exporter) asked(ctx context.Context, key string) error {
	shop, id, ok := exports.OfKey(key)
	if !ok {
		return nil
	}
	j, err := e.Exports().Read(ctx, shop, id)
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
	if errors.Is(err, exports.ErrLost) { // whoever has it now goes on
		return nil
	}
	if err == nil && (j.State == imports.Done || j.State == imports.Failed) {
		err = e.Exports().Answered(ctx, shop, id)
	}
	return err
}

// make makes the file, and ends the export: done, or failed where its access may not read the type any more.
func (e *exporter) make(ctx context.Context, j *exports.Job) error {
	err := (&run{exporter: e, j: j, moved: e.Now()}).do(ctx)
	if refused := (*problem.Problem)(nil); errors.As(err, &refused) && refused.Status == 403 {
		j.Refuse(refused)
	} else if err != nil {
		return err
	} else {
		j.Finish(e.Now())
	}
	return e.Exports().Move(ctx, e.Unit(), j)
}
