package api

import (
	"cmp"
	"context"
	"errors"
	"slices"
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
	*Call
	made func(result any) answer
}

// Write writes to the platform's main table once the limit has let the request through. With an Idempotency-Key the
// answer that the result becomes is kept in the same transaction (contract, "Idempotency"). Its errors are the store's:
// ErrUnavailable, of which Problem makes a 503, and *ConditionError.
func (d *door) Write(ctx context.Context, result any, change events.Change, ops ...store.Op) (store.Item, error) {
	var answer answer // nil: this is not the request's last transaction
	if result != nil {
		answer = d.made(result)
	}
	if p := d.charge.wait(ctx); p != nil {
		return store.Item{}, p
	}
	if answer == nil || d.key == nil {
		acted := d.acted
		item, err := d.wrote(d.api.Table.Write(ctx, change, ops...))
		// A number that is drawn for what may be refused yet (sale.draw) is nothing that somebody has done.
		if result == nil && len(change.Records) == 0 && len(ops) == 1 && ops[0].Set.Add != nil {
			d.acted = acted
		}
		return item, err
	}
	keep, err := d.key.keep(d.Call, answer.reply())
	if err != nil {
		return store.Item{}, err
	}
	item, err := d.writeKey(ctx, change, ops, keep)
	d.key.kept = err == nil
	return item, err
}

// Begin writes the first of a request's several transactions. With an Idempotency-Key it holds the key in the same
// transaction, so that no other request under it begins within life, or before the answer is there.
func (d *door) Begin(ctx context.Context, life time.Duration, ops ...store.Op) error {
	if p := d.charge.wait(ctx); p != nil {
		return p
	}
	if d.key == nil {
		_, err := d.wrote(d.api.Table.Write(ctx, events.Nothing, ops...))
		return err
	}
	_, err := d.writeKey(ctx, events.Nothing, ops, d.key.hold(d.Call, life))
	// Remembered, because only the request that holds the key may keep an answer under it.
	d.key.held = err == nil
	return err
}

// writeKey does the operations with the one on the item of the request's Idempotency-Key: errKeyLost when another
// request has it.
func (d *door) writeKey(ctx context.Context, change events.Change, ops []store.Op, key store.Op) (store.Item, error) {
	item, err := d.wrote(d.api.Table.Write(ctx, change, append(slices.Clip(ops), key)...))
	if _, lost := store.Failed(err, key.Key); lost {
		return item, errKeyLost
	}
	return item, err
}

// wrote notes that something was written. A write that nobody knows the outcome of may have been done.
func (d *door) wrote(item store.Item, err error) (store.Item, error) {
	d.acted = d.acted || err == nil || errors.Is(err, store.ErrUnavailable)
	return item, err
}
