package imports

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
)

// An import's partition holds its item (A), what was wrong with rows (E#…, those of a batch in one item, by its last
// row), and while it runs what is to be told of rows that are written (J#…, the importer's).

// Key is the import's item.
func Key(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#I#" + id, SK: "A"} }

// Partition is the partition of Index1 with the imports of a shop, by (changed, id).
func Partition(shop string) string { return "S#" + shop + "#I" }

// Jobs are the imports that are not over: those that wait for their file, and those whose file has come.
var Jobs = job.Kind{Name: "IMPORTS", Shards: 1, Lease: time.Minute}

// unseen is how long a file is there at most before its importer begins, unless the call that told of it was lost: as
// when each such call failed, with a table that is throttled for minutes.
const unseen = 2 * time.Minute

// Journal is what is to be told, the nth item of a list.
func Journal(shop, id, list string, n int) store.Key {
	return store.Key{PK: Key(shop, id).PK, SK: fmt.Sprintf("J#%s#%03d", list, n)}
}

// JournalFrom and JournalTo bound the sort keys of all lists.
const (
	JournalFrom = "J#"
	JournalTo   = "J#~"
)

// ErrorsFrom and ErrorsTo bound the sort keys of all errors.
const (
	ErrorsFrom = "E#"
	ErrorsTo   = "E#~"
)

// MaxErrors is how many rows of an import have an error at most: the first ones that failed. Without a bound, a file of
// wrong rows stores 337 bytes for each byte of it. What ended an import has one in any case.
const MaxErrors = 10_000

// life is how long errors are kept, and an import after its end.
const life = 30 * 24 * time.Hour

// MostTogether is how many errors go into one item at most, and MostBytes how many bytes of their texts: 10,000 wrong
// rows are some 50 items, and each is far below the 400 KB of DynamoDB.
const (
	MostTogether = 200
	MostBytes    = 64 << 10
)

// ErrorsItem is errors of rows as they are stored, in the order of their rows.
func ErrorsItem(shop, id string, now time.Time, errs ...Error) store.Item {
	item := packed(Key(shop, id).PK, errs)
	item.Expires = now.Add(life).Unix()
	return item
}

// packed is an item of errors. It has the key of its last one, so what is behind a row begins with the item that has
// the next error.
func packed(pk string, errs []Error) store.Item {
	doc, err := json.Marshal(errs)
	if err != nil {
		panic("imports: " + err.Error()) // texts and numbers
	}
	last := errs[len(errs)-1]
	return store.Item{Key: store.Key{PK: pk, SK: fmt.Sprintf("%s%012d", ErrorsFrom, last.Row)}, Doc: doc}
}

// ErrorsOf are the errors of an item.
func ErrorsOf(item *store.Item) (errs []Error, err error) { return errs, item.Into(&errs) }

// File is the object that is uploaded: its coming wakes the importer.
func File(shop, id string) string { return job.Object(Uploads, shop, id, "file") }

// WakeKey is the object beside the file whose putting wakes the importer when there is more to do.
func WakeKey(shop, id string) string { return job.Object(Uploads, shop, id, "again") }

// Uploads is how the keys of all these objects begin.
const Uploads = "imports/"

// Job is an import as its item holds it.
type Job struct {
	Import
	job.Asker // rows are written only while it may bring them in
	job.Head
	Request   string // the platform's id of the POST, which is the one request that all rows are
	RequestID string // its id in log lines: the client's own, else Request
	At, Size  int64  // bytes of the file that are done, and all
	Tag       string // of the file
	Chunks    map[string]int64
}

// document is what does not change.
type document struct {
	Fields
	job.Asker
	Created   field.Time `json:"created"`
	Request   string     `json:"request"`
	RequestID string     `json:"requestId"`
}

// Item is the import as it is stored; its progress too.
func (k *Job) Item() store.Item {
	num := map[string]int64{"read": k.Rows.Read, "changed": k.Rows.Changed, "unchanged": k.Rows.Unchanged,
		"failed": k.Rows.Failed, "at": k.At, "size": k.Size}
	for list, n := range k.Chunks { // the changes of the list that were told
		num["chunk."+list] = n
	}
	i := store.Item{Key: Key(k.Shop, k.ID), Num: num,
		Doc:    record.Document(document{k.Fields, k.Asker, k.Created, k.Request, k.RequestID}),
		Text:   map[string]string{"state": string(k.State), "tag": k.Tag},
		Index1: store.Key{PK: Partition(k.Shop), SK: k.Version[:10] + "#" + k.ID}}
	if k.ended() {
		i.Expires = record.ChangedAt(k.Version).Go().Add(life).Unix()
	}
	return Jobs.Item(k.Head, k.ID, i)
}

// Decode reads an import's item.
func Decode(item *store.Item) (*Job, error) {
	var d document
	if err := json.Unmarshal(item.Doc, &d); err != nil {
		return nil, err
	}
	parts := strings.Split(item.PK, "#")
	n := item.Num
	its := &Job{Asker: d.Asker, Head: Jobs.Head(item), Request: d.Request, RequestID: d.RequestID,
		Tag: item.Text["tag"], At: n["at"], Size: n["size"], Chunks: map[string]int64{}}
	its.Shop = parts[1]
	its.Import = Import{ID: parts[3], Fields: d.Fields, State: job.State(item.Text["state"]), Created: d.Created,
		Changed: record.ChangedAt(item.Version),
		Rows:    Rows{Read: n["read"], Changed: n["changed"], Unchanged: n["unchanged"], Failed: n["failed"]}}
	its.Progress = progress(its.State, its.At, its.Size)
	for name, n := range item.Num {
		if list, is := strings.CutPrefix(name, "chunk."); is {
			its.Chunks[list] = n
		}
	}
	return its, nil
}
