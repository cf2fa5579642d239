package api

import (
	"cmp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/base/words"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Records are the operations on a kind of records to which nothing is special: list, create, read, change, delete.
type Records[R, F any] struct {
	Kind         *record.Kind[R, F]
	KindOf       func(*change.Caller) *record.Kind[R, F] // those that a caller has; nil: all of the shop's, by Kind
	Path         string                                  // "/api-engine/discount-coupons"
	Tag          string                                  // "Discount coupons"
	ID           string                                  // "Coupon": the operations are listCoupons, createCoupon, …
	One, Many    string                                  // "a discount coupon", "discount coupons"
	NeedsToRead  permission.Permission
	NeedsToWrite permission.Permission
	Show         func(R) R // completes what is shown by what is not kept; nil: there is no such thing
	Once         []string  // what only the answer has that makes one (Op.Once)
	Lasting      bool      // no operation deletes one
	Fixed        bool      // no operation changes one
	CreatedApart bool      // the door has an operation of its own that creates one
	// of a kind whose deleted records are marked: the parameter that shows them; zero: all are shown
	Marked Param
	Search record.Search     // of a kind with Words: where they are found
	Data   events.RecordKind // what they are published as, if packages keep data beside them (AddData)

	// What the tag stands for, and what else there is to say of the operations, Markdown.
	TagDoc, ListDoc, CreateDoc, ReadDoc, ChangeDoc, DeleteDoc string
}

// Query are the parameters of the list beside those of every collection.
func (k Records[R, F]) Query() []Param {
	var query []Param
	for _, f := range k.Kind.Filters {
		query = append(query, Param{Name: f.Name, Doc: f.Doc, Most: f.Most})
	}
	for _, p := range k.Kind.Subsets {
		if p.Partition != nil || k.Search.Under != nil {
			query = append(query, Param{Name: p.Name, Doc: p.Doc, Most: p.Most, Later: p.Partition == nil})
		}
	}
	if k.Search.Words != nil {
		query = append(query, SearchParam)
	}
	if k.Marked.Name != "" {
		query = append(query, k.Marked)
	}
	return query
}

// AddRecords registers them.
func AddRecords[R, F any](a *API, k Records[R, F]) {
	a.document.Tags = append(a.document.Tags, &huma.Tag{Name: k.Tag, Description: k.TagDoc})
	Add(a, Op{Route: "GET " + k.Path, ID: "list" + k.ID + "s", Tag: k.Tag, Needs: k.NeedsToRead, Query: k.Query(),
		Data:    k.Data,
		Summary: "List " + k.Many, Doc: strings.TrimSpace("Sorted by `changed`, then `id`. " + k.ListDoc)}, k.List)
	if !k.CreatedApart {
		Add(a, Op{Route: "POST " + k.Path, ID: "create" + k.ID, Tag: k.Tag, Needs: k.NeedsToWrite,
			Summary: "Create " + k.One, Once: k.Once, Doc: k.CreateDoc}, k.create)
	}
	Add(a, Op{Route: "GET " + k.Path + "/{id}", ID: "read" + k.ID, Tag: k.Tag, Needs: k.NeedsToRead, Data: k.Data,
		Summary: "Read " + k.One, Doc: k.ReadDoc}, k.read)
	if !k.Fixed {
		Add(a, Op{Route: "PATCH " + k.Path + "/{id}", ID: "change" + k.ID, Tag: k.Tag,
			Needs: k.NeedsToWrite, Reads: k.NeedsToRead,
			Summary: "Change " + k.One, Doc: k.ChangeDoc}, k.change)
	}
	if !k.Lasting {
		Add(a, Op{Route: "DELETE " + k.Path + "/{id}", ID: "delete" + k.ID, Tag: k.Tag, Needs: k.NeedsToWrite,
			Summary: "Delete " + k.One, Doc: k.DeleteDoc}, k.delete)
	}
}

// kind is the kind of the records that the caller has.
func (k Records[R, F]) kind(c *Call) *record.Kind[R, F] {
	if k.KindOf == nil {
		return k.Kind
	}
	return k.KindOf(c.Caller)
}

// List is the page of the collection that the request asks for.
func (k Records[R, F]) List(c *Call, in *List) (*Collection[R], error) {
	for _, f := range k.Kind.Filters {
		value := c.Query(f.Name)
		if value == "" {
			continue
		}
		item, err := k.kind(c).Find(c, c.api.Table, c.Shop, f.Claim(c.Shop, value))
		if err != nil {
			return nil, err
		}
		found := record.Show(c, item, k.item)
		found.Missing = found.Missing || !k.matches(c, found.Record)
		return One(*in, found), nil
	}
	load := record.Load(c.api.Table, func(item *store.Item) (R, time.Time, bool, error) {
		r, at, there, err := k.item(item)
		if k.Marked.Name != "" && there && k.Kind.Deletion.Marked(r) {
			there = c.Query(k.Marked.Name) == "true"
		}
		return r, at, there && err == nil && k.matches(c, r), err
	})
	return Page(c, c.SearchOrder(*in), k.listing(c), load)
}

// listing is where the records are listed that the request asks for, and maybe others: by the words that it asks for,
// by the first value that narrows them, or all.
func (k Records[R, F]) listing(c *Call) record.Listing {
	if c.Query(SearchParam.Name) != "" {
		return k.Search.Words(c.Shop, c.Words())
	}
	for _, p := range k.Kind.Subsets {
		switch value := c.Query(p.Name); {
		case value == "":
		case p.Partition == nil:
			return k.Search.Under(c.Shop, value)
		case p.Partition(c.Shop, value) == "": // no record has it
			return record.InPartitions(c.api.Table, store.Index2)
		default:
			return record.InPartitions(c.api.Table, store.Index2, p.Partition(c.Shop, value))
		}
	}
	return k.kind(c).Listing(c.api.Table, c.Shop)
}

// matches says whether a record passes all filters of the request.
func (k Records[R, F]) matches(c *Call, r R) bool {
	if of := k.kind(c).Owned; of != nil && !of.Has(r) {
		return false
	}
	for _, f := range k.Kind.Filters {
		if value := c.Query(f.Name); value != "" && !f.Has(r, value) {
			return false
		}
	}
	for _, p := range k.Kind.Subsets {
		if value := c.Query(p.Name); value != "" && !p.Has(r, value) {
			return false
		}
	}
	return c.Query(SearchParam.Name) == "" || c.Words().Finds(k.Kind.Words(r))
}

// read answers one record; a deleted one as its kind has it.
func (k Records[R, F]) read(c *Call, in *ByID) (*Answer[R], error) {
	r, err := k.kind(c).Read(c, c.api.Table, c.Shop, in.ID)
	if err != nil {
		return nil, err
	}
	return k.answer(r), nil
}

// create makes a record by its kind, and answers it with its address.
func (k Records[R, F]) create(c *Call, in *Create[F]) (*Answer[R], error) {
	return Do(c, k.created, func(u *change.Unit) (R, error) { return k.kind(c).Create(c, u, in.Body) })
}

// change merges the body into a record. A body that changes nothing writes nothing and tells nobody.
func (k Records[R, F]) change(c *Call, in *Change[F]) (*Answer[R], error) {
	return Do(c, k.answer, func(u *change.Unit) (R, error) {
		return k.kind(c).Change(c, u, in.ID, func(was F) (F, error) { return Apply(c, in.Body, was) })
	})
}

func (k Records[R, F]) delete(c *Call, in *ByID) (*None, error) {
	return Done(c, func(u *change.Unit) error { return k.kind(c).Delete(c, u, in.ID) })
}

func (k Records[R, F]) answer(r R) *Answer[R] {
	head, _ := k.Kind.Split(&r)
	return Of(k.shown(r), head.Version)
}

func (k Records[R, F]) created(r R) *Answer[R] {
	head, _ := k.Kind.Split(&r)
	return k.answer(r).At(k.Path + "/" + head.ID)
}

// item is the record of an item for a list, and when it changed; false of a tombstone.
func (k Records[R, F]) item(item *store.Item) (R, time.Time, bool, error) {
	r, at, there, err := k.Kind.Show(item)
	if there && err == nil {
		r = k.shown(r)
	}
	return r, at, there, err
}

// shown is the record as answers have it, completed by Show.
func (k Records[R, F]) shown(r R) R {
	if k.Show == nil {
		return r
	}
	return k.Show(r)
}

// Param is a query parameter of an operation: a text, or a flag.
type Param struct {
	Name, Doc string
	Flag      bool   // true or false
	Most      int    // characters of a text
	Pattern   string // what a text matches, and what that is in words; "": any does
	Must      string
	Later     bool // it came after those of the input, and stands behind them: clients may know them by their places
}

func (p Param) schema() *huma.Schema {
	if p.Flag {
		return &huma.Schema{Type: huma.TypeBoolean}
	}
	return &huma.Schema{Type: huma.TypeString, MaxLength: &p.Most, Pattern: p.Pattern, PatternDescription: p.Must}
}

// SearchParam is the parameter by which records are found (contract, "Search").
var SearchParam = Param{Name: "q", Most: words.MaxText, Pattern: `^\s*\S+(\s+\S+){0,4}\s*$`,
	Must: "one to five words", Later: true,
	Doc: "Records that have these words, or words that begin with them, without case or accents: at most five words. " +
		"The newest change comes first; of more than a hundred records, the one that was made last. Where thousands " +
		"have such a word, not all of them: ask for a longer one. May lag a change by a second."}

// Words are those of the request's search.
func (c *Call) Words() words.Asked { return words.Ask(c.Query(SearchParam.Name)) }

// SearchOrder is the query of a collection that may be a search, which goes by the newest first unless it says
// otherwise.
func (c *Call) SearchOrder(l List) List {
	if c.Query(SearchParam.Name) != "" {
		l.Order = cmp.Or(l.Order, "desc")
	}
	return l
}
