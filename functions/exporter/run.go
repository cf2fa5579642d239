package exporter

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/base/id"
	"eshop/shared/catalog"
	"eshop/shared/job/exports"
	"eshop/shared/job/imports"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/sale"
	"eshop/shared/shop"
)

// How a run goes on.
const (
	pageRecords = 250             // read at once
	moveEvery   = 2 * time.Second // how often it is written down how far the export is
	indexLag    = 2 * time.Second // what indexes may be behind, where they are not instant
	lookBack    = 5 * time.Second // the second look begins so long before the run began
	maxLevels   = 200             // price levels that have a column
)

// run is the making of one file.
type run struct {
	exporter
	j      *exports.Job
	parts  []part
	since  time.Time       // from when on changes are looked for once more
	seen   map[string]bool // index entries since then whose records are in the file
	levels []string        // price levels other than the default, in the order in which they were found
	states map[string]string
	moved  time.Time

	categories map[string]string // of a file of products for people: the categories' names by their ids
}

// part is records of one type, and where they are. The file has them one part after the other.
type part struct {
	of   string // the type
	rows record.Listing
	load load
}

// row is a record as answers show it, and the index entry that led to it.
type row struct {
	doc   []byte
	entry string
}

// load reads the records of index entries.
type load = func(context.Context, []store.Item) ([]record.Shown[row], error)

// do writes the file. An error leaves none.
func (r *run) do(ctx context.Context) error {
	if err := r.j.Allowed(ctx, r.Accesses); err != nil {
		return err
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	if err := r.survey(ctx); err != nil {
		return err
	}
	from, to := io.Pipe()
	var writing guard.Group
	writing.Go(ctx, func() error {
		err := guard.Do(ctx, func() error { return r.write(ctx, to) })
		to.CloseWithError(err) // nil is the file's end
		return err
	})
	err := r.Files.Write(ctx, r.j.File(), from)
	from.CloseWithError(err) // nobody reads any more
	// What ended the writing says more than that the bucket had no more to read.
	return guard.First([]error{writing.Wait(), err})
}

// open finds where the records are.
func (r *run) open(ctx context.Context) error {
	r.since, r.seen = r.Now().Add(-lookBack), map[string]bool{}
	if r.j.Type == exports.Orders {
		if err := r.nameStates(ctx); err != nil {
			return err
		}
	}
	var err error
	if r.j.Type == exports.Products && r.j.Language != "" {
		if r.categories, err = catalog.CategoryNames(ctx, r.Main, r.j.Shop); err != nil {
			return err
		}
	}
	s, err := shop.Read(ctx, r.Main, r.j.Shop)
	if err != nil {
		return err
	}
	all, err := r.all(ctx, r.Shops.Website(s))
	if err != nil {
		return err
	}
	r.parts = slices.DeleteFunc(all, func(p part) bool { return r.j.Type != exports.Whole && p.of != string(r.j.Type) })
	return nil
}

// loadOf loads records of any type as rows. It says how large they are, which bounds a page.
func loadOf[T any](typed func(context.Context, []store.Item) ([]record.Shown[T], error)) load {
	return func(ctx context.Context, entries []store.Item) ([]record.Shown[row], error) {
		records, err := typed(ctx, entries)
		all := make([]record.Shown[row], len(records))
		for i, s := range records {
			all[i] = record.Shown[row]{At: s.At, Missing: s.Missing}
			if !s.Missing {
				all[i].Record = row{record.Document(s.Record), entries[i].Index1.SK}
				all[i].Size = len(all[i].Record.doc)
			}
		}
		return all, err
	}
}

// nameStates reads what people call the states of orders.
func (r *run) nameStates(ctx context.Context) error {
	if r.j.Language == "" {
		return nil
	}
	all, err := sale.AllStates(ctx, r.Main, r.j.Shop)
	r.states = map[string]string{}
	for _, s := range all {
		r.states[s.ID] = string(s.Name)
	}
	return err
}

// survey counts the entries of the index, so that it is known about how much is done. For a CSV of products it reads
// them, because its first row has the price levels of all.
func (r *run) survey(ctx context.Context) error {
	count := func(_ context.Context, entries []store.Item) ([]record.Shown[row], error) {
		return make([]record.Shown[row], len(entries)), nil
	}
	levels := r.j.Type == exports.Products && r.j.Format == imports.CSV
	found := map[string]bool{catalog.DefaultLevel: true}
	for _, p := range r.parts {
		if !levels {
			p.load = count
		}
		err := r.pages(ctx, p, record.Range{}, func(page []row) error {
			r.j.Counted += int64(len(page))
			for _, rec := range page {
				if levels {
					r.addLevels(rec.doc, found)
				}
			}
			return r.move(ctx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// addLevels adds the price levels of a product to those that have a column.
func (r *run) addLevels(doc []byte, found map[string]bool) {
	var p struct{ PriceLevels []catalog.Price }
	if json.Unmarshal(doc, &p) != nil {
		return // what is shown can be read
	}
	for _, price := range p.PriceLevels {
		if level := string(price.Level); !found[level] && len(found) < maxLevels {
			found[level] = true
			r.levels = append(r.levels, level)
		}
	}
}

// write writes all records. Where indexes lag behind, it looks once more at the end for what was changed meanwhile, so
// that no record is missed that moved to the end of its list just then.
func (r *run) write(ctx context.Context, to io.Writer) error {
	buffered := bufio.NewWriterSize(to, 64<<10)
	file, err := r.newFile(buffered)
	if err != nil {
		return err
	}
	of, since := "", id.Stamp(r.since)
	put := func(page []row) error {
		for _, rec := range page {
			if err := file.put(of, rec.doc); err != nil {
				return err
			}
			if rec.entry >= since {
				r.seen[rec.entry] = true
			}
		}
		r.j.Rows += int64(len(page))
		return r.move(ctx)
	}
	each := func(look record.Range) error {
		for _, p := range r.parts {
			of, p.load = p.of, r.notSeen(p.load)
			if err := r.pages(ctx, p, look, put); err != nil {
				return err
			}
		}
		return nil
	}
	if err = r.begin(ctx, file); err == nil {
		err = each(record.Range{})
	}
	if err == nil && !r.Instant {
		if !guard.Wait(ctx, indexLag) {
			return ctx.Err()
		}
		err = each(record.Range{From: r.since})
	}
	if err == nil {
		err = file.end()
	}
	if err != nil {
		return err
	}
	return buffered.Flush()
}

// begin writes the shop's own line, where all of it is exported.
func (r *run) begin(ctx context.Context, to file) error {
	if r.j.Type != exports.Whole {
		return nil
	}
	doc, err := r.own(ctx)
	if err != nil {
		return err
	}
	return to.put(string(exports.Whole), doc)
}

// notSeen loads the entries whose records are not in the file as they are now.
func (r *run) notSeen(read load) load {
	return func(ctx context.Context, entries []store.Item) ([]record.Shown[row], error) {
		all := make([]record.Shown[row], len(entries))
		var fresh []store.Item
		var at []int // indexes in entries
		for i, e := range entries {
			if all[i].Missing = r.seen[e.Index1.SK]; !all[i].Missing {
				fresh, at = append(fresh, e), append(at, i)
			}
		}
		records, err := read(ctx, fresh)
		for i, s := range records {
			all[at[i]] = s
		}
		return all, err
	}
}

// pages hands the records of a part on page by page, while no request waits.
func (r *run) pages(ctx context.Context, p part, of record.Range, do func(page []row) error) error {
	for asked := (record.Asked{Range: of, Limit: pageRecords}); ; {
		r.Calm(ctx)
		page, next, err := record.Page(ctx, p.rows, asked, p.load)
		if err == nil {
			err = do(page)
		}
		if err != nil || next == "" {
			return err
		}
		asked.After = next
	}
}

// move writes down how far the export is, if it is time to. It is the access's problem once that may not read the type
// any more.
func (r *run) move(ctx context.Context) error {
	if r.Now().Sub(r.moved) < moveEvery {
		return nil
	}
	if err := r.j.Allowed(ctx, r.Accesses); err != nil {
		return err
	}
	r.moved = r.Now()
	return exports.Jobs.Move(ctx, r.Unit(), r.j, events.Nothing)
}
