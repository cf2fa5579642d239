package addon

import (
	"context"
	"encoding/json"
	"errors"

	"eshop/shared/base/each"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// CleanupOrder asks for a custom code to be removed when its package is deactivated on the shop (contract, "Custom
// codes and cleanup orders"), as answers show it.
type CleanupOrder struct {
	record.Head
	CleanupFields
	Status     CleanupStatus `json:"status" enum:"active,executed,cancelled" doc:"How far the order is: executed by the deactivation that removed the code, cancelled by a deletion, of the order or of the code"`
	ExecutedAt *field.Time   `json:"executedAt,omitempty"`
}

// CleanupFields are what a client writes of a cleanup order.
type CleanupFields struct {
	CustomCode string `json:"customCodeId" maxLength:"64" doc:"The id of the custom code, one of your package's on this shop"`
	Package    string `json:"packageId" maxLength:"64" doc:"The id of your package, as GET /api-engine/package and the custom code have it"`
}

// CleanupStatus is what has become of a cleanup order.
type CleanupStatus string

// The statuses.
const (
	CleanupActive    CleanupStatus = "active"
	CleanupExecuted  CleanupStatus = "executed"
	CleanupCancelled CleanupStatus = "cancelled"
)

// check holds what a package writes against the rules.
func (f CleanupFields) check(pkg string) error {
	var faults problem.Faults
	if f.Package != pkg {
		faults.Add("packageId", problem.Unknown, "is not your package")
	}
	if !id.Valid(f.CustomCode) {
		faults.Add("customCodeId", problem.Unknown, noSuchCode)
	}
	return faults.Err()
}

// noSuchCode is the fault of a cleanup order's `customCodeId`, the same for an unknown code and for another package's.
const noSuchCode = "is no custom code of your package on this shop"

// pointToCleanup writes the new order's id into its code, so that a code has one active order, and takes it out when
// the order is cancelled.
func pointToCleanup(_ context.Context, u *change.Unit, step *record.Step[CleanupOrder]) error {
	order := *step.After
	key := codeKey(u.Shop, order.Package, order.CustomCode)
	switch {
	case step.Before == nil:
		set := store.Set{Text: map[string]string{textCleanup: order.ID}}
		step.Ops = append(step.Ops, tally(u.Shop, order.Package, 0, open),
			store.Update(key, set, store.Present(), store.TextIs(textCleanup, "")))
	case step.Before.Status == CleanupExecuted:
		return problem.Conflict("cleanup_executed", "The cleanup order was executed: its custom code is gone.")
	default:
		step.Ops = append(step.Ops, tally(u.Shop, order.Package, 0),
			store.Update(key, store.Set{Drop: []string{textCleanup}}, store.TextIs(textCleanup, order.ID)))
	}
	return nil
}

// whyNoCleanup is why an order could not be made.
func whyNoCleanup(u *change.Unit, s *record.Step[CleanupOrder], refused error) error {
	if s.Before != nil {
		return refused
	}
	if _, failed := store.Failed(refused, tallyKey(u.Shop, s.After.Package)); failed {
		return inactive()
	}
	found, failed := store.Failed(refused, codeKey(u.Shop, s.After.Package, s.After.CustomCode))
	switch {
	case !failed:
		return refused
	case found.Item == nil:
		return problem.InvalidAt("customCodeId", problem.Unknown, noSuchCode)
	}
	return problem.Conflict("cleanup_exists", "The custom code has an active cleanup order already.")
}

// Cleanup is what a deactivation does to the custom codes of its package on a shop, in the order of created.
type Cleanup struct{ Removed, Kept []CustomCode }

// ReadCleanup is what a deactivation of the package would do now.
func ReadCleanup(ctx context.Context, t store.Table, shop, pkg string) (c Cleanup, err error) {
	all, err := codesOfPackage(ctx, t, shop, pkg)
	if err != nil {
		return c, err
	}
	for _, code := range all {
		if code.Cleanup != "" {
			c.Removed = append(c.Removed, code)
		} else {
			c.Kept = append(c.Kept, code)
		}
	}
	return c, nil
}

// planCleanup is what a deactivation at that time does to the custom codes, with its operations. They fail if a code or
// a cleanup order came or went meanwhile. Once they are done, no code or order can be made until the next activation.
func planCleanup(ctx context.Context, u *change.Unit, access Access, at field.Time) (Cleanup, []store.Op, error) {
	// The tally is read first: what comes after it moves it, what came before it is found.
	key := tallyKey(access.Shop, access.Package)
	items, err := u.Table.Get(ctx, key)
	if err != nil {
		return Cleanup{}, nil, err
	}
	var seen int64
	if items[0] != nil {
		seen = items[0].Num[numMoves]
	}
	cleanup, err := ReadCleanup(ctx, u.Table, access.Shop, access.Package)
	if err != nil {
		return Cleanup{}, nil, err
	}
	ops, err := cleanup.ops(ctx, u, access, at)
	if err != nil {
		return Cleanup{}, nil, err
	}
	set := store.Set{Text: map[string]string{textClosed: closed}, Num: map[string]int64{numDeactivated: int64(at)},
		Add: map[string]int64{numCodes: -int64(len(cleanup.Removed)), numMoves: 1}}
	for text, codes := range map[string][]CustomCode{textRemoved: cleanup.Removed, textKept: cleanup.Kept} {
		if len(codes) > 0 {
			set.Text[text] = string(encode(NamesOf(codes)))
		}
	}
	ops = append(ops, moveBytes(access.Shop, -activeBytes(cleanup.Removed...))...)
	return cleanup, append(ops, store.Update(key, set, store.AtMost(numMoves, seen))), nil
}

// RemovedCode is what is still known of a custom code that a deactivation has removed or kept, whatever became of the
// code since.
type RemovedCode struct {
	ID   string     `json:"id"`
	Name field.Name `json:"name"`
}

// NamesOf are custom codes as it is told of them once they are removed.
func NamesOf(all []CustomCode) []RemovedCode {
	return each.Of(all, func(code CustomCode) RemovedCode { return RemovedCode{code.ID, code.Name} })
}

// ReadReport are the custom codes that the package's deactivation has removed and kept, in the order of created. The
// report is there until the package is activated again.
func ReadReport(ctx context.Context, t store.Table, shop, pkg string) (removed, kept []RemovedCode, err error) {
	items, err := t.Get(ctx, tallyKey(shop, pkg))
	if err != nil || items[0] == nil {
		return nil, nil, err
	}
	for text, codes := range map[string]*[]RemovedCode{textRemoved: &removed, textKept: &kept} {
		if names := items[0].Text[text]; names != "" {
			err = errors.Join(err, json.Unmarshal([]byte(names), codes))
		}
	}
	return removed, kept, err
}

// ops are the operations that remove the codes and execute their orders.
func (c Cleanup) ops(ctx context.Context, u *change.Unit, access Access, at field.Time) ([]store.Op, error) {
	if len(c.Removed) == 0 {
		return nil, nil
	}
	kind := CleanupOrders(access.Package)
	keys := each.Of(c.Removed, func(code CustomCode) store.Key { return kind.Key(access.Shop, code.Cleanup) })
	items, err := u.Table.Get(ctx, keys...)
	if err != nil {
		return nil, err
	}
	var ops []store.Op
	for i, code := range c.Removed {
		ops = append(ops, store.Delete(codeKey(access.Shop, access.Package, code.ID)))
		if record.Missing(items[i]) {
			continue // an order that is not there hinders no deactivation
		}
		order, err := kind.Decode(items[i])
		if err != nil {
			return nil, err
		}
		order.Status, order.ExecutedAt = CleanupExecuted, &at
		order.SetVersion(u.NextVersion(order.Version))
		ops = append(ops, store.Put(kind.Item(access.Shop, order)))
	}
	return ops, nil
}
