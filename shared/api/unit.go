package api

import (
	"cmp"
	"context"
	"time"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Do runs a command for the call. made makes the answer of the command's result. If the request has an Idempotency-Key,
// the answer is kept in the command's last transaction: the one that the command writes with a result.
func Do[R any, A answer](c *Call, made func(R) A, command func(*change.Unit) (R, error)) (A, error) {
	u := c.unit(func(result any) answer { return made(result.(R)) }) // Write is given what the command returns
	r, err := command(u)
	if err != nil {
		var none A
		return none, err
	}
	return made(r), nil
}

// Done is Do of a command that is answered 204. One that writes no result has its answer kept afterwards.
func Done(c *Call, command func(*change.Unit) error) (*None, error) {
	return &None{}, command(c.unit(func(any) answer { return &None{} }))
}

// Unit is the request as a unit of work none of whose writes keeps the request's answer.
func (c *Call) Unit() *change.Unit { return c.unit(func(any) answer { return nil }) }

// unit is the request as a unit of work.
func (c *Call) unit(made func(result any) answer) *change.Unit {
	u := &change.Unit{Shop: c.Shop, Request: c.Request, By: cmp.Or(c.By, events.Package(c.Package)),
		Trace: events.TraceOf(c.r.Header.Get("Traceparent")),
		Table: c.api.Table, Now: c.api.Now, Random: c.api.Random, Door: &door{c, made}}
	if c.RequestID != c.Request {
		u.ClientRequest = c.RequestID
	}
	return u
}

// door is what the API adds to a command: limits, If-Match, and the answer kept under an Idempotency-Key.
type door struct {
	call *Call
	made func(result any) answer
}

// Match holds a record's version against the request's If-Match.
func (d *door) Match(version string) error { return d.call.Match(version) }

// Write writes the command's last transaction, and keeps the answer that the result becomes with it.
func (d *door) Write(ctx context.Context, result any, change events.Change, ops ...store.Op) (store.Item, error) {
	if result == nil {
		return d.call.Write(ctx, nil, change, ops...)
	}
	return d.call.Write(ctx, d.made(result), change, ops...)
}

// Begin writes the first of several transactions, and holds the request's Idempotency-Key, if it has one, for life.
func (d *door) Begin(ctx context.Context, life time.Duration, ops ...store.Op) error {
	return d.call.Begin(ctx, life, ops...)
}
