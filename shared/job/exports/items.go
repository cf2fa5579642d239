package exports

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"eshop/shared/base/id"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
)

// Key is the export's item.
func Key(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#X#" + id, SK: "A"} }

// ofShop is the partition of Index1 with the exports of a shop, by (changed, id).
func ofShop(shop string) string { return "S#" + shop + "#X" }

// Jobs are the exports whose file is to be made, or is to be deleted. A move prolongs the lease of whoever makes the
// file. There is no move while the bucket takes a part or puts the parts together: the lease is as long as that takes.
var Jobs = job.Kind{Name: "EXPORTS", Shards: 1, Lease: 7 * time.Minute}

// How long things last.
const (
	FileLife = 24 * time.Hour      // of a file and of the address that leads to it
	itemLife = 30 * 24 * time.Hour // of an export, from when it was asked for
	unheard  = time.Minute         // how long an export waits at most, unless its asking was lost
)

// AskKey is the object that wakes the exporter when it is put.
func AskKey(shop, id string) string { return job.Object(Asks, shop, id, "ask") }

// Asks begins the keys of all these objects, Files those of the files that exports make.
const (
	Asks  = "exports/"
	Files = "exported/"
)

// file is the object that the nth try makes. Each has its own, because who has lost the export may still be writing.
func (j *Job) file(n int64) string {
	return job.Object(Files, j.Shop, j.ID, strconv.FormatInt(n, 10))
}

// File is the object that this try makes, and that it has once it is done.
func (j *Job) File() string { return j.file(j.Tries) }

// Job is an export as its item holds it.
type Job struct {
	Export
	job.Asker // the file is made and given only while it may read the type
	job.Head
	Language string    // of the person for whose spreadsheet the CSV is; "": it is for programs
	Counted  int64     // how many records there were at the beginning
	Until    time.Time // when the file is over
}

// document is what does not change.
type document struct {
	Fields
	job.Asker
	Language string     `json:"language,omitempty"`
	Created  field.Time `json:"created"`
}

// Item is the export as it is stored; its progress too. Its file's end is a change of it.
func (j *Job) Item() store.Item {
	i := store.Item{Key: Key(j.Shop, j.ID), Num: map[string]int64{"rows": j.Rows, "counted": j.Counted},
		Doc:  record.Document(document{j.Fields, j.Asker, j.Language, j.Created}),
		Text: map[string]string{"state": string(j.State)}, Expires: j.Created.Go().Add(itemLife).Unix()}
	if j.Error != nil {
		i.Text["code"], i.Text["message"] = j.Error.Code, j.Error.Message
	}
	changed := j.Version[:10]
	if j.State == job.Done {
		i.Num["until"] = j.Until.UnixMilli()
		if j.Over() {
			changed = id.Stamp(j.Until)
		}
	}
	if j.Type != Whole { // which is on no list of the shop
		i.Index1 = store.Key{PK: ofShop(j.Shop), SK: changed + "#" + j.ID}
	}
	return Jobs.Item(j.Head, j.ID, i)
}

// Decode reads an export's item.
func Decode(item *store.Item) (*Job, error) {
	var d document
	if err := json.Unmarshal(item.Doc, &d); err != nil {
		return nil, err
	}
	parts := strings.Split(item.PK, "#")
	n, state := item.Num, job.State(item.Text["state"])
	j := &Job{Asker: d.Asker, Head: Jobs.Head(item), Language: d.Language, Counted: n["counted"]}
	j.Shop = parts[1]
	j.Export = Export{ID: parts[3], Fields: d.Fields, State: state, Rows: n["rows"],
		Progress: progress(state, n["rows"], n["counted"]), Created: d.Created,
		Changed: record.ChangedAt(item.Version)}
	if n["until"] > 0 {
		j.Until = time.UnixMilli(n["until"])
	}
	if code := item.Text["code"]; code != "" {
		j.Error = &Error{Code: code, Message: item.Text["message"]}
	}
	return j, nil
}
