// Package exporter makes the files of exports (contract, "Exports"): everything of a type, read in pages and streamed
// into the bucket, so that a file of any size takes the memory of a page. What an export is, is shared/job/exports.
//
// # A tour
//
// exporter.go is woken for an export, run.go reads the records and moves the export on, sheet.go writes them as
// CSV.
package exporter

import (
	"context"
	"time"

	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/job/exports"
	"eshop/shared/record/job"
)

// Function is the exporter's entry in THE list.
var Function = host.Function{
	Name: "exporter", Doc: "Makes the files of exports.",
	Upload: &host.Upload{
		Prefix: exports.Asks, Margin: mostTime,
		Handler: func(p *host.Platform) func(context.Context, string) error { return exporter{p}.asked },
		// Nobody outside gets an address to put such an object.
		MayUpload: func(context.Context, *host.Platform, string) error { return nil },
	},
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}},
		host.FilesBelow(host.Write, exports.Asks, exports.Files),
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
func (e exporter) asked(ctx context.Context, key string) error {
	shop, id, ok := job.ParseObject(exports.Asks, key)
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
	return e.Exports().Work(ctx, e.Unit(), j, e.Alone, (&run{exporter: e, j: j, moved: e.Now()}).do)
}
