package importer

import (
	"context"
	"errors"
	"io"
	"reflect"
	"sync/atomic"
	"time"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/job/imports"
	"eshop/shared/people/customer"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/job"
)

// run is one importer's work on one import, from when it is taken until it ends, hands over or fails.
type run struct {
	*importer
	k       *imports.Job
	kind    record.Upserts
	journal journal
	columns []column    // of a CSV
	busy    atomic.Bool // others make requests
}

// do goes on with the import: until its file ends, the time does, or a fault ends the import.
func (r *run) do(ctx context.Context) (err error) {
	if r.journal, err = load(ctx, r.Main, r.k); err != nil {
		return err
	}
	err = r.bring(ctx)
	if bad, is := errors.AsType[*fault](err); is {
		return r.end(ctx, bad)
	}
	return err
}

// bring brings rows in, while the next ones are read and looked up. A *fault ends the import.
func (r *run) bring(ctx context.Context) error {
	r.kind = r.importer.kind(r.k)
	if r.k.Tries > maxTries {
		r.Log.ErrorContext(ctx, "an import could not be finished", "request", r.k.Request, "row", r.k.Rows.Read+1)
		return &fault{code: "internal", of: "file_not_finished",
			message: "The import could not be finished; what was read of it is in the shop."}
	}
	if err := r.allowed(ctx); err != nil {
		return err
	}
	if err := r.tell(ctx, (*list).wholeCall); err != nil {
		return err
	}
	file, err := r.open(ctx)
	if err != nil {
		return err
	}
	defer file.Close()
	return r.process(ctx, file)
}

// allowed is a *fault once the access that asked for the import may not bring rows in any more.
func (r *run) allowed(ctx context.Context) error {
	err := r.k.Allowed(ctx, r.Accesses)
	if p, is := problem.As(err); is {
		return faultOf(p)
	}
	return err
}

// open opens the file at the next row to do. A CSV file is opened twice when the import goes on in its middle, because
// its columns are in its first row. A *fault says that the file cannot be used.
func (r *run) open(ctx context.Context) (rows, error) {
	if r.k.Format == imports.JSONL {
		s, err := r.source(ctx, r.k.At)
		of := r.k.Type // rows are read while batches move the import on
		return jsonRows{s, func(line []byte) (any, error) { return r.parse(ctx, of, line) }}, err
	}
	source, err := r.source(ctx, 0)
	if err != nil {
		return nil, err
	}
	rows, err := newCSV(source, fieldsOf(typeOf(r.k.Type), "", map[string]field{}), r.k.Type)
	if err != nil {
		return nil, errors.Join(err, source.Close())
	}
	r.columns = rows.columns
	if r.k.At <= rows.at {
		return rows, nil
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	if source, err = r.source(ctx, r.k.At); err != nil {
		return nil, err
	}
	rows.goOn(source, rows.reader.Comma)
	return rows, nil
}

// source opens the file at a byte.
func (r *run) source(ctx context.Context, at int64) (*source, error) {
	file, err := r.Files.Open(ctx, imports.File(r.k.Shop, r.k.ID), r.k.Tag, at)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, &fault{code: "not_found", of: "file_gone", message: "The uploaded file is not there any more."}
	} else if err != nil {
		return nil, err
	}
	return newSource(file, at)
}

// typeOf is the type of the body whose fields a file's columns name.
func typeOf(t imports.Type) reflect.Type {
	if t == imports.Customers {
		return reflect.TypeFor[customer.Fields]()
	}
	return reflect.TypeFor[catalog.ProductDetails]()
}

// Rows are read and looked up in blocks. Three are in memory at most (one is read, one is looked up, one is written),
// so that rows of a megabyte each fit.
const (
	blockRows  = 256
	blockBytes = 1 << 20
)

// item is a row of the file, from when it is read to when it is written.
type item struct {
	row
	record    record.Upsert
	key       string
	stale     bool // an earlier row may have changed what was looked up for it
	conflicts int  // how often its conditions did not hold
}

// block is rows that go through the steps together, or the error that ended the reading.
type block struct {
	items []*item
	err   error
}

// process brings the file's rows in, three blocks at the same time: one is read, one is looked up, one is written. It
// prolongs the lease while the next block is long in coming, and stops in time to hand the rest over.
func (r *run) process(ctx context.Context, from rows) error {
	inner, stop := context.WithCancel(ctx)
	var work guard.Group
	defer func() { stop(); _ = work.Wait() }()
	read, found := make(chan block), make(chan block)
	work.Go(ctx, func() error { defer close(read); r.read(inner, from, read); return nil })
	work.Go(ctx, func() error { defer close(found); r.find(inner, read, found); return nil })
	for {
		select {
		case block, more := <-found:
			switch {
			case !more && ctx.Err() != nil:
				return ctx.Err()
			case !more:
				stop()
				if err := work.Wait(); err != nil { // it ended for another reason than the file's end
					return err
				}
				return r.end(ctx, nil)
			case block.err != nil:
				return block.err
			}
			if err := r.write(ctx, block.items); err != nil {
				return err
			}
		case <-time.After(renewAfter):
			if err := r.move(ctx, r.next(), events.Nothing); err != nil { // which prolongs the lease
				return err
			}
		}
		if almostOver(ctx) {
			return r.handOver(ctx)
		}
	}
}

// almostOver says whether the rest must be handed over now.
func almostOver(ctx context.Context) bool {
	end, limited := ctx.Deadline()
	return limited && time.Until(end) < handOverTime
}

// read reads the file into blocks. What ends it other than its end comes in a block of its own, behind all rows before
// it.
func (r *run) read(ctx context.Context, from rows, into chan<- block) {
	begun := r.k.At
	for err := error(nil); err == nil && ctx.Err() == nil; {
		var some block
		for len(some.items) < r.blockRows() {
			var next row
			if next, err = r.row(ctx, from); err != nil {
				break
			}
			some.items = append(some.items, &item{row: next})
			if next.end-begun > blockBytes {
				break
			}
		}
		if n := len(some.items); n > 0 {
			begun = some.items[n-1].end
			send(ctx, into, some)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			send(ctx, into, block{err: err})
		}
	}
}

// row is the next one of the file.
func (r *run) row(ctx context.Context, from rows) (next row, err error) {
	defer guard.Caught(ctx, &err)
	return from.next()
}

// blockRows is how many rows are a block now.
func (r *run) blockRows() int {
	if r.busy.Load() {
		return busyRows
	}
	return blockRows
}

// find looks up what is there under the keys of blocks, while the block before is being written. A row whose key is in
// that block, or in an earlier row of its own block, is looked up again when its turn comes.
func (r *run) find(ctx context.Context, from <-chan block, into chan<- block) {
	var before map[string]bool
	for b := range from {
		for left := b.items; ; {
			n, err := len(left), b.err
			if err == nil {
				n, err = r.lookUp(ctx, left...)
			}
			some := block{left[:n], err}
			own := make(map[string]bool, n)
			for _, i := range some.items {
				i.stale = i.key != "" && (own[i.key] || before[i.key])
				own[i.key] = true
			}
			before = own
			send(ctx, into, some)
			if left = left[n:]; len(left) == 0 || err != nil || ctx.Err() != nil {
				break
			}
		}
	}
}

// send hands a block on, unless nobody waits for it any more.
func send(ctx context.Context, into chan<- block, b block) {
	select {
	case into <- b:
	case <-ctx.Done():
	}
}

// lookUp reads what is there under the keys of rows. If that is much, it reads for the first n rows only, and returns
// n.
func (r *run) lookUp(ctx context.Context, items ...*item) (n int, err error) {
	defer guard.Caught(ctx, &err)
	var sound []int // indexes in items
	var rows []record.Row
	for n, i := range items {
		if i.stale = false; i.fault == nil {
			i.key = r.kind.Key(i.Row)
			sound, rows = append(sound, n), append(rows, i.Row)
		}
	}
	if len(rows) == 0 {
		return len(items), nil
	}
	records, err := r.kind.Read(ctx, rows)
	for n, record := range records {
		items[sound[n]].record = record
	}
	if err != nil || len(records) == len(rows) {
		return len(items), err
	}
	return sound[len(records)], nil
}

// end ends the import, as done or with a fault. It tells first what is not told yet.
func (r *run) end(ctx context.Context, bad *fault) error {
	if err := r.tell(ctx, (*list).nextCall); err != nil {
		return err
	}
	ops, ended := r.journal.deleteOps(r.k), r.next()
	ended.End()
	if ended.State = job.Done; bad == nil {
		ended.At = ended.Size
		if ended.HasWrongRows() {
			ended.Wait(r.Now().Add(imports.FileLife))
		}
	} else {
		ended.State = job.Failed
		e := imports.Error{Code: bad.code, Location: bad.location, Message: bad.message, Fault: bad.of}
		if bad.row {
			ended.Rows.Read++
			ended.Rows.Failed++
			e.Row = ended.Rows.Read
		}
		ops = append(ops, store.Put(imports.ErrorsItem(r.k.Shop, r.k.ID, r.Now(), e)))
	}
	return r.move(ctx, ended, events.Nothing, ops...)
}

// handOver gives the import up, so that another importer can go on at once, and wakes that one.
func (r *run) handOver(ctx context.Context) error {
	if err := imports.Jobs.GiveUp(ctx, r.unit(r.k), r.k); err != nil {
		return err
	}
	return r.k.WakeNext(ctx, r.Files)
}

// move moves the import on to next, with more in the same transaction.
func (r *run) move(ctx context.Context, next *imports.Job, told events.Change, ops ...store.Op) error {
	if err := imports.Jobs.Move(ctx, r.unit(next), next, told, ops...); err != nil {
		return err
	}
	*r.k = *next
	return nil
}

// tell tells what was written, in webhooks of as many rows as take says, until it says 0.
func (r *run) tell(ctx context.Context, take func(*list) int) error {
	for _, name := range listNames {
		for {
			l := r.journal[name]
			n := take(l)
			if n == 0 {
				break
			}
			if err := r.tellFirst(ctx, l, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// tellFirst tells the first rows of a list as one change, which becomes one webhook to each receiver. The webhooks' ids
// follow from the import's request and the chunk's number, so an importer that resumes after a crash makes the same
// ones.
func (r *run) tellFirst(ctx context.Context, list *list, rows int) error {
	var records []events.Record
	for _, some := range list.rows[:rows] {
		records = append(records, some...)
	}
	change := r.unit(r.k).ChangeOf(records)
	change.Chunk = int(r.k.Chunks[list.name])
	left := r.journal.without(list.name, rows)
	next := r.next()
	next.Chunks[list.name]++
	if err := r.move(ctx, next, change, left.items(next)...); err != nil {
		return err
	}
	r.journal = left
	return nil
}
