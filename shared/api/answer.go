package api

import (
	"net/http"
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

// Answer is one record with its entity tag, and its address where it is new.
type Answer[T any] struct {
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     T
}

// Of is the answer with a record of this version.
func Of[T any](record T, version string) *Answer[T] {
	return &Answer[T]{ETag: ETag(version), Body: record}
}

// Plain is the answer with what has no version: neither entity tag nor address.
type Plain[T any] struct{ Body T }

// PlainOf is the answer with it.
func PlainOf[T any](body T) *Plain[T] { return &Plain[T]{body} }

// answered is what the frame reads of a Plain to keep it under an Idempotency-Key.
func (p *Plain[T]) answered() (etag, location string, body any) { return "", "", p.Body }

// At names the record's address: the Location of a 201.
func (a *Answer[T]) At(path string) *Answer[T] { a.Location = path; return a }

// answered is what the frame reads of an Answer of any type to keep it under an Idempotency-Key.
func (a *Answer[T]) answered() (etag, location string, body any) { return a.ETag, a.Location, a.Body }

type answered interface {
	answered() (etag, location string, body any)
}

// Placed is the answer of a POST that makes a record or finds it there: its Status is 201 or 200.
type Placed[T any] struct {
	Status   int
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     T
}

// answered and status are what the frame reads of a Placed to keep it under an Idempotency-Key.
func (p *Placed[T]) answered() (etag, location string, body any) { return p.ETag, p.Location, p.Body }

func (p *Placed[T]) status() int { return p.Status }

// also is the status of success beside the operation's own.
func (p *Placed[T]) also() int { return http.StatusOK }

// Report is an answer whose status the operation decides: the 207 of a batch of which a part failed. 0: the operation's own.
type Report[T any] struct {
	Status int
	Body   T
}

// answered and status are what the frame reads of a Report to keep it under an Idempotency-Key.
func (r *Report[T]) answered() (etag, location string, body any) { return "", "", r.Body }

func (r *Report[T]) status() int { return r.Status }

// also is the status of success beside the operation's own.
func (r *Report[T]) also() int { return http.StatusMultiStatus }

// None is the answer of a DELETE: 204 without a body.
type None struct{}

// Patch is a JSON merge patch of a record's fields F. The chain has checked its form: no unknown fields, no null where F
// requires a value.
type Patch[F any] struct{ sent any }

// PatchOf is the patch that a decoded body is, its numbers as json.Number.
func PatchOf[F any](sent any) Patch[F] { return Patch[F]{sent} }

// UnmarshalJSON keeps the patch as it came.
func (p *Patch[F]) UnmarshalJSON(b []byte) (err error) {
	p.sent, err = number(b)
	return err
}

// Get is what the patch itself says of a field, whatever it is merged into; named is false when it says nothing.
func (p Patch[F]) Get(field string) (value any, named bool) {
	fields, _ := p.sent.(map[string]any)
	value, named = fields[field]
	return value, named
}
