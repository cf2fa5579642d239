package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"eshop/events"
	"eshop/shared/job/imports"
	"eshop/shared/ports/store"
)

// The journal is what an import has written and not told yet, kept in the same transactions as the rows: two lists, of
// records made and of records changed, because a call is of one event. As soon as a list holds the ids of a whole call,
// they are told in one change; what is left is told at the end. So nothing that was written goes untold, whenever the
// importer dies, and calls are cut at 500 ids and nowhere else (contract, "Imports").

// The two lists of the journal, by what is told of their rows: records that were made, and records that were changed.
const (
	made    = "C"
	altered = "M"
)

var listNames = []string{made, altered}

// page is how many rows are in one item of a list, so that a transaction writes the last items of it, and not all.
const page = 32

// list is the rows of one event that are written and not told yet, each row with all its records.
type list struct {
	name   string
	rows   [][]events.Record
	ids    map[string]map[string]bool // of the records told to add-ons, with their variants
	n      int                        // how many ids, variants counted
	stored int                        // how many of rows are in stored pages
	most   int                        // how many stored pages there may be
}

// newList is an empty list.
func newList(name string) *list { return &list{name: name, ids: map[string]map[string]bool{}} }

// clone is a list that may be added to while the first one stays as it is: a batch that is not written must leave no
// trace in the journal.
func (l *list) clone() *list {
	c := *l
	c.rows = slices.Clip(l.rows)
	c.ids = maps.Clone(l.ids)
	return &c
}

// add puts a row's records behind the others.
func (l *list) add(records []events.Record) {
	l.rows = append(l.rows, records)
	l.n += count(l.ids, records)
}

// count notes the ids of records and returns how many of them are new, variants counted, as a webhook counts its ids.
// It never changes a set of variants that it was given: a clone of the list may share it.
func count(ids map[string]map[string]bool, records []events.Record) (n int) {
	for _, record := range records {
		if record.Event() == "" {
			continue
		}
		known, has := ids[record.ID]
		if !has {
			n++
		}
		if len(record.Variants) == 0 {
			ids[record.ID] = known
			continue
		}
		all := map[string]bool{}
		maps.Copy(all, known)
		for _, v := range record.Variants {
			if !all[v] {
				n++
			}
			all[v] = true
		}
		ids[record.ID] = all
	}
	return n
}

// nextCall is how many of the rows, from the first on, make the next webhook when no more will come; 0: there are none.
func (l *list) nextCall() int { return cmp.Or(l.wholeCall(), len(l.rows)) }

// wholeCall is how many of the rows, from the first on, make a whole webhook of 500 ids (contract, "Body"); 0 if there
// are too few yet.
func (l *list) wholeCall() int {
	if l.n < events.MaxIDs {
		return 0
	}
	ids, n := map[string]map[string]bool{}, 0
	for i, records := range l.rows {
		n += count(ids, records)
		if n > events.MaxIDs && i > 0 {
			return i
		}
		if n >= events.MaxIDs {
			return i + 1
		}
	}
	return len(l.rows)
}

// items are the operations that write the pages with rows that are not stored yet.
func (l *list) items(k *imports.Job) []store.Op {
	var ops []store.Op
	for n := l.stored / page; n*page < len(l.rows); n++ {
		doc, err := json.Marshal(storedPage{k.Chunks[l.name], l.rows[n*page : min((n+1)*page, len(l.rows))]})
		if err != nil {
			panic("importer: " + err.Error()) // records always encode
		}
		ops = append(ops, store.Put(store.Item{Key: imports.Journal(k.Shop, k.ID, l.name, n), Doc: doc}))
		l.most = max(l.most, n+1)
	}
	l.stored = len(l.rows)
	return ops
}

// storedPage is what an item of a list holds. One of an earlier chunk was told already, and is not overwritten yet.
type storedPage struct {
	Chunk int64             `json:"n"`
	Rows  [][]events.Record `json:"r"`
}

// journal is the two lists.
type journal map[string]*list

// newJournal is a journal with nothing in it.
func newJournal() journal { return journal{made: newList(made), altered: newList(altered)} }

// clone is a journal to which a batch adds its rows before it is known whether they are written.
func (j journal) clone() journal {
	return journal{made: j[made].clone(), altered: j[altered].clone()}
}

// add notes what a row did. What happens to a record that was made and is not told yet belongs to its making.
func (j journal) add(records []events.Record) {
	_, untold := j[made].ids[records[0].ID]
	if untold || records[0].Did == events.Created {
		j[made].add(records)
		return
	}
	j[altered].add(records)
}

// items are the operations of both lists.
func (j journal) items(k *imports.Job) (ops []store.Op) {
	for _, name := range listNames {
		ops = append(ops, j[name].items(k)...)
	}
	return ops
}

// journalItems is the most items of the journal that the rows of a transaction write. The rows are fewer than two pages
// (batchRows), so in each list they touch the page that was begun and two more.
const journalItems = 6

// without is the journal when the first rows of a list are told.
func (j journal) without(name string, rows int) journal {
	left := newJournal()
	for n, l := range j {
		left[n].most = l.most
		if n != name {
			left[n] = l.clone()
		}
	}
	for _, records := range j[name].rows[rows:] {
		left.add(records)
	}
	return left
}

// maxPages is how many pages both lists can have, with those that are not overwritten yet. A list is told as soon as it
// has a whole call of events.MaxIDs ids: at most the rows of one batch come beyond it.
const maxPages = 2 * (events.MaxIDs + batchRows)

// load reads a journal as an earlier importer left it.
func load(ctx context.Context, t store.Table, k *imports.Job) (journal, error) {
	journal := newJournal()
	q := store.Query{PK: imports.Key(k.Shop, k.ID).PK, From: imports.JournalFrom, To: imports.JournalTo}
	items, err := store.QueryAll(ctx, t, q, maxPages)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if err := journal.read(k, item); err != nil {
			return nil, err
		}
	}
	return journal, nil
}

// read puts an item's page into its list. A page of an earlier chunk was told already and is passed over.
func (j journal) read(its *imports.Job, item store.Item) error {
	name, number, _ := strings.Cut(strings.TrimPrefix(item.SK, imports.JournalFrom), "#")
	list := j[name]
	n, err := strconv.Atoi(number)
	if err != nil || list == nil {
		return err
	}
	list.most = max(list.most, n+1)
	var page storedPage
	if err := json.Unmarshal(item.Doc, &page); err != nil || page.Chunk != its.Chunks[name] {
		return err
	}
	for _, records := range page.Rows {
		list.add(records)
	}
	list.stored = len(list.rows)
	return nil
}

// deleteOps are the operations that delete all items.
func (j journal) deleteOps(k *imports.Job) (ops []store.Op) {
	for _, name := range listNames {
		for n := range j[name].most {
			ops = append(ops, store.Delete(imports.Journal(k.Shop, k.ID, name, n)))
		}
	}
	return ops
}
