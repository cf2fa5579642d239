package exports

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"eshop/shared/field"
	"eshop/shared/id"
	"eshop/shared/imports"
	"eshop/shared/record"
	"eshop/shared/store"
)

// Key is the export's item.
func Key(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#X#" + id, SK: "A"} }

// ofShop is the partition of Index1 with the exports of a shop, by (changed, id).
func ofShop(shop string) string { return "S#" + shop + "#X" }

// due is the partition of Index2 with the exports that the sweeper will have something to do about, by when.
const due = "EXPORTS"

// Due are the exports that nobody works on any more, and those whose file is over.
func Due(now time.Time) store.Query {
	return store.Query{Index: store.Index2, PK: due, To: id.Stamp(now)}
}

// How long things last.
const (
	FileLife = 24 * time.Hour      // of a file and of the address that leads to it
	itemLife = 30 * 24 * time.Hour // of an export, from when it was asked for
	// A claim's lease: each move prolongs it, and none is made while the bucket takes a part or puts all together.
	lease   = 7 * time.Minute
	unheard = time.Minute // how long an export waits at most, unless its asking was lost
)

// AskKey is the object that wakes the exporter when it is put.
func AskKey(shop, id string) string { return Asks + shop + "/" + id + "/ask" }

// Asks begins the keys of all these objects, Files those of the files that exports make.
const (
	Asks  = "exports/"
	Files = "exported/"
)

// file is the object that the nth claim of the export makes. Each claim has its own, because a claimer that has lost
// the export may still be writing.
func (j *Job) file(n int64) string {
	return Files + j.Shop + "/" + j.ID + "/" + strconv.FormatInt(n, 10)
}

// File is the object that the claim of the export makes, and that it has once it is done.
func (j *Job) File() string { return j.file(j.Tries) }

// OfKey is the shop and the export of an AskKey; false of any other key.
func OfKey(key string) (shop, id string, ok bool) {
	s := strings.Split(strings.TrimPrefix(key, Asks), "/")
	if len(s) != 3 || !strings.HasPrefix(key, Asks) {
		return "", "", false
	}
	return s[0], s[1], true
}

// Job is an export as its item holds it.
type Job struct {
	Export
	Shop     string
	Access   string // that asked for it: the file is made and given only while it may read the type
	Package  string // the access's
	Language string // of the person for whose spreadsheet the CSV is; "": it is for programs
	Version  string
	Tries    int64 // how often it was claimed
	Counted  int64 // how many records there were at the beginning
	Until    time.Time
}

// document is what does not change.
type document struct {
	Fields
	Access   string     `json:"accessId,omitempty"`
	Package  string     `json:"packageId,omitempty"`
	Language string     `json:"language,omitempty"`
	Created  field.Time `json:"created"`
}

// Item is the export as it is stored; its progress too.
func (j *Job) Item() store.Item {
	s := j.update()
	return store.Item{Key: Key(j.Shop, j.ID), Version: j.Version, Text: s.Text, Num: s.Num,
		Doc:    record.Document(document{j.Fields, j.Access, j.Package, j.Language, j.Created}),
		Index1: *s.Index1, Index2: *s.Index2, Expires: j.Created.Go().Add(itemLife).Unix()}
}

// update is the update of the item to the state that j is in.
func (j *Job) update() store.Set {
	s := store.Set{Version: j.Version,
		Num:    map[string]int64{"rows": j.Rows, "counted": j.Counted, "tries": j.Tries, "until": 0},
		Text:   map[string]string{"state": string(j.State), "code": "", "message": ""},
		Index1: &store.Key{PK: ofShop(j.Shop), SK: j.Version[:10] + "#" + j.ID}, Index2: &store.Key{}}
	if j.Type == Whole {
		s.Index1 = &store.Key{} // it is on no list of the shop
	}
	if j.Error != nil {
		s.Text["code"], s.Text["message"] = j.Error.Code, j.Error.Message
	}
	look := j.Until
	switch j.State {
	case imports.Waiting:
		look = record.ChangedAt(j.Version).Go().Add(unheard)
	case imports.Running:
		look = record.ChangedAt(j.Version).Go().Add(lease)
	case imports.Done:
		s.Num["until"] = j.Until.UnixMilli()
	}
	if j.State != imports.Failed {
		s.Index2 = &store.Key{PK: due, SK: id.Stamp(look) + "#" + j.ID}
	}
	return s
}

// Of reads an export's item.
func Of(item *store.Item) (*Job, error) {
	var d document
	if err := json.Unmarshal(item.Doc, &d); err != nil {
		return nil, err
	}
	parts := strings.Split(item.PK, "#")
	n, state := item.Num, imports.State(item.Text["state"])
	j := &Job{Shop: parts[1], Access: d.Access, Package: d.Package, Language: d.Language, Version: item.Version,
		Tries: n["tries"], Counted: n["counted"]}
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
