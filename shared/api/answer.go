package api

import (
	"bytes"
	"encoding/json"
	"net/http"

	"eshop/shared/record"
	"eshop/shared/record/field"
)

// ByID is the input of operations on one record.
type ByID struct {
	ID string `path:"id" doc:"The record's id"`
}

// Create is the input of a POST with a body.
type Create[F any] struct {
	Body F
}

// Change is the input of a PATCH by id: a JSON merge patch (RFC 7396) of the fields F that a POST takes.
type Change[F any] struct {
	ByID
	Body Patch[F]
}

// answer is what a handler returns.
type answer interface{ reply() reply }

// reply is an answer as the frame sends it and keeps it under an Idempotency-Key.
type reply struct {
	status               int // 0: the operation's own
	etag, location, link string
	body                 any    // nil: none
	brief                any    // see Answer.Brief; nil: id and changed of the body
	person               string // see Answer.About
}

// Answer is one record with its entity tag, and its address where it is new.
type Answer[T any] struct {
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     T
	brief    any
	person   string
}

// Of is the answer with a record of this version.
func Of[T any](record T, version string) *Answer[T] {
	return &Answer[T]{ETag: ETag(version), Body: record}
}

// At names the address of what was made or asked for: the Location of a 201 or 202.
func (a *Answer[T]) At(path string) *Answer[T] { a.Location = path; return a }

// Brief gives a caller who lacks the operation's read permission something else than the body's own id and changed.
func (a *Answer[T]) Brief(id string, changed field.Time) *Answer[T] {
	a.brief = Abridged{id, changed}
	return a
}

// About says of whom the body tells, by an id, where its type has no Person that says so: by it the person's erasing
// finds the answer that is kept under an Idempotency-Key.
func (a *Answer[T]) About(person string) *Answer[T] { a.person = person; return a }

// Abridged is what a caller sees of a record who may change and not read it, in versions that show that much.
type Abridged struct {
	ID      string     `json:"id"`
	Changed field.Time `json:"changed"`
}

func (a *Answer[T]) reply() reply {
	return reply{etag: a.ETag, location: a.Location, body: &a.Body, brief: a.brief, person: a.person}
}

// Plain is the answer with what has no version: neither entity tag nor address.
type Plain[T any] struct{ Body T }

// PlainOf is the answer with it.
func PlainOf[T any](body T) *Plain[T] { return &Plain[T]{body} }

func (p *Plain[T]) reply() reply { return reply{body: &p.Body} }

// Asked is the answer of a POST that asks for something that comes later, with the address where it is read.
type Asked[T any] struct {
	Location string `header:"Location"`
	Body     T
}

func (a *Asked[T]) reply() reply { return reply{location: a.Location, body: &a.Body} }

// CreatedOrFound is the answer of a POST that makes a record or finds it there: its Status is 201 or 200.
type CreatedOrFound[T any] struct {
	Status   int
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     T
}

func (p *CreatedOrFound[T]) reply() reply {
	return reply{status: p.Status, etag: p.ETag, location: p.Location, body: &p.Body}
}

// also is the status of success beside the operation's own.
func (p *CreatedOrFound[T]) also() int { return http.StatusOK }

// Report is an answer whose status the operation decides: a batch is 207 if a part of it failed. 0 is the operation's
// own status.
type Report[T any] struct {
	Status int
	Body   T
}

func (r *Report[T]) reply() reply { return reply{status: r.Status, body: &r.Body} }

// also is the status of success beside the operation's own.
func (r *Report[T]) also() int { return http.StatusMultiStatus }

// Begun is the answer of a DELETE whose work may go on afterwards: 202 with how far it has come, or 204. The document
// has no schema of the body, because generated clients would look for one in the 204, too.
type Begun[T any] struct{ Body *T }

func (b *Begun[T]) bodiless() {}

func (b *Begun[T]) reply() reply {
	if b.Body == nil {
		return reply{}
	}
	return reply{status: http.StatusAccepted, body: b.Body}
}

// also is the status of success beside the operation's own.
func (b *Begun[T]) also() int { return http.StatusAccepted }

// Collection is a page of records.
type Collection[T any] struct {
	Link string `header:"Link" doc:"The next page, rel=next"`
	Body Items[T]
}

// Items is the body of a page: NextCursor is absent on the last one.
type Items[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"nextCursor,omitempty"`

	encoded []json.RawMessage // Items as the answer has them, which are nil then
}

// encode makes the page one of encoded records, and returns them; none of a page that is one already.
func (i *Items[T]) encode() (all []*json.RawMessage) {
	if i.encoded != nil {
		return nil
	}
	i.encoded = make([]json.RawMessage, len(i.Items))
	for n, item := range i.Items {
		i.encoded[n] = record.Document(item)
		all = append(all, &i.encoded[n])
	}
	return all
}

// writeTo writes the page as JSON.
func (i *Items[T]) writeTo(b *bytes.Buffer) error {
	if i.encoded == nil {
		return writeJSON(b, i)
	}
	size := 0
	for _, doc := range i.encoded {
		size += len(doc) + len(",")
	}
	// The size is known, so the buffer is made once: pages have up to 4 MB.
	b.Grow(size + len(i.NextCursor) + 64)
	b.WriteString(`{"items":[`)
	for n, doc := range i.encoded {
		if n > 0 {
			b.WriteByte(',')
		}
		b.Write(doc)
	}
	b.WriteByte(']')
	if i.NextCursor != "" { // which is base64, without anything to be escaped
		b.WriteString(`,"nextCursor":"` + i.NextCursor + `"`)
	}
	b.WriteString("}\n")
	return nil
}

func (c *Collection[T]) reply() reply { return reply{link: c.Link, body: &c.Body} }

// None is the answer of a DELETE: 204 without a body.
type None struct{}

func (*None) reply() reply { return reply{} }
