package api

import (
	"context"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/store"
)

// Do runs a command for the request of ctx. answer makes the request's answer of what the command comes to; with an
// Idempotency-Key it is kept in the command's last transaction.
func Do[R, O any](ctx context.Context, answer func(R) *O, command func(*change.Unit) (R, error)) (*O, error) {
	u := From(ctx).unit(func(result any) any { return answer(result.(R)) }) // Write is given what the command returns
	r, err := command(u)
	if err != nil {
		return nil, err
	}
	return answer(r), nil
}

// Done is Do of a command that is answered 204.
func Done(ctx context.Context, command func(*change.Unit) error) (*None, error) {
	return &None{}, command(From(ctx).unit(func(any) any { return &None{} }))
}

// Unit is the request as a unit of work whose writes Call.Write does, for what goes along with a record that the caller
// writes itself.
func (c *Call) Unit() *change.Unit { return c.unit(func(result any) any { return result }) }

// unit is the request as a unit of work.
func (c *Call) unit(answer func(result any) any) *change.Unit {
	u := &change.Unit{Shop: c.Shop, Request: c.Request, Table: c.api.Table, Now: c.api.Now, Random: c.api.Random, Door: &door{c, answer}}
	if c.RequestID != c.Request {
		u.Caller = c.RequestID
	}
	return u
}

// door is what the API adds to a command: limits, If-Match, and the answer kept under an Idempotency-Key.
type door struct {
	call   *Call
	answer func(result any) any
}

func (d *door) Match(version string) error { return d.call.Match(version) }

func (d *door) Write(ctx context.Context, result any, change events.Change, ops ...store.Op) (store.Item, error) {
	if result != nil {
		result = d.answer(result)
	}
	return d.call.Write(ctx, result, change, ops...)
}
