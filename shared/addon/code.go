package addon

import (
	"context"
	"strconv"
	"strings"

	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// CustomCode is a piece of HTML or JavaScript that a package puts into a shop's storefront (contract, "Custom codes and
// cleanup orders"), as answers show it.
type CustomCode struct {
	record.Head
	CodeFields
	Package string `json:"packageId"`
	Cleanup string `json:"-"` // the id of its active cleanup order; "" when there is none
}

// CodeFields are what a client can write of a custom code.
type CodeFields struct {
	Name     field.Name `json:"name" example:"Configurator"`
	Position Position   `json:"position" enum:"head,bodyEnd,orderConfirmed" doc:"Where the code stands: in the head, at the end of the body, or at the end of the content of the page that confirms an order" example:"bodyEnd"`
	Code     field.Text `json:"code" doc:"The code: HTML, put in as it is" example:"<div id=\"configurator\"></div>"`
	Active   bool       `json:"active" required:"false" doc:"Whether the code is put in; true unless it is said otherwise"`
}

// Defaults are the values of what a new custom code does not say.
func (f *CodeFields) Defaults() { f.Active = true }

// Position is where a custom code stands in the storefront's pages.
type Position string

// The positions.
const (
	InHead           Position = "head"
	AtBodyEnd        Position = "bodyEnd"
	OnOrderConfirmed Position = "orderConfirmed"
)

// HTMLByPosition is what the active codes put at each position, in the order of the codes.
func HTMLByPosition(codes []CustomCode) map[Position]string {
	built := map[Position]*strings.Builder{}
	for _, c := range codes {
		if !c.Active {
			continue
		}
		if built[c.Position] == nil {
			built[c.Position] = &strings.Builder{}
		}
		built[c.Position].WriteString(string(c.Code))
	}
	html := make(map[Position]string, len(built))
	for at, b := range built {
		html[at] = b.String()
	}
	return html
}

// maxCodes is how many custom codes a package has on a shop at most, so that its deactivation is one transaction.
const maxCodes = 40

// MaxActiveBytes is how many bytes the active custom codes of a shop have together at most, of all its packages: each
// of its pages holds them.
const MaxActiveBytes = 1 << 20

// activeBytes is how much of MaxActiveBytes codes take.
func activeBytes(codes ...CustomCode) (bytes int64) {
	for _, c := range codes {
		if c.Active {
			bytes += int64(len(c.Code))
		}
	}
	return bytes
}

// moveBytes are the operations that count so many bytes more of active codes of a shop, or less.
func moveBytes(shop string, more int64) []store.Op {
	if more == 0 {
		return nil
	}
	var conds []store.Condition
	if more > 0 {
		conds = []store.Condition{store.AtMost(numBytes, MaxActiveBytes-more)}
	}
	return []store.Op{store.Update(bytesKey(shop), store.Set{Add: map[string]int64{numBytes: more}}, conds...)}
}

// countCodes counts the package's codes with each one that is made or deleted, and the bytes of the shop's active ones.
// Deleting a code cancels its cleanup
// order. Each write of a code is on condition of the cleanup order that the code was read with.
func countCodes(ctx context.Context, u *change.Unit, step *record.Step[CustomCode]) error {
	var before, after int64
	if step.Before != nil {
		before = activeBytes(*step.Before)
	}
	if step.After != nil {
		after = activeBytes(*step.After)
	}
	step.Ops = append(step.Ops, moveBytes(u.Shop, after-before)...)
	if step.Before == nil {
		step.Ops = append(step.Ops, tally(u.Shop, step.After.Package, 1, store.AtMost(numCodes, maxCodes-1), open))
		return nil
	}
	was := *step.Before
	step.Ops = append(step.Ops, store.Check(step.Ops[0].Key, store.TextIs(textCleanup, was.Cleanup)))
	if step.After != nil {
		if after != before { // a deactivation gives back the bytes that there are
			step.Ops = append(step.Ops, tally(u.Shop, was.Package, 0))
		}
		return nil
	}
	step.Ops = append(step.Ops, tally(u.Shop, was.Package, -1))
	if was.Cleanup == "" {
		return nil
	}
	kind := CleanupOrders(was.Package)
	order, err := kind.Read(ctx, u.Table, u.Shop, was.Cleanup)
	if err != nil {
		return err
	}
	version := order.Version
	order.Status = CleanupCancelled
	order.SetVersion(u.NextVersion(version))
	step.Ops = append(step.Ops, store.Put(kind.Item(u.Shop, order), store.VersionIs(version)))
	return nil
}

// open is the condition of what only an active package makes. An access that was let in just before its package was
// deactivated makes nothing after it.
var open = store.TextIs(textClosed, "")

// tally adds to the number of codes, and moves the number on which a deactivation depends.
func tally(shop, pkg string, more int64, conds ...store.Condition) store.Op {
	return store.Update(tallyKey(shop, pkg), store.Set{Add: map[string]int64{numCodes: more, numMoves: 1}}, conds...)
}

// whyNoCode is why the count did not allow it.
func whyNoCode(u *change.Unit, s *record.Step[CustomCode], refused error) error {
	if _, failed := store.Failed(refused, bytesKey(u.Shop)); failed {
		return problem.Conflict("too_many_codes", "The active custom codes of a shop have "+
			strconv.Itoa(MaxActiveBytes)+" bytes together at most: delete, shorten or switch off one.")
	}
	if s.Before != nil {
		return refused
	}
	count, failed := store.Failed(refused, tallyKey(u.Shop, s.After.Package))
	switch {
	case !failed:
		return refused
	case !open.Holds(count.Item):
		return inactive()
	}
	return problem.Conflict("too_many_codes", "A package has "+strconv.Itoa(maxCodes)+
		" custom codes on a shop at most: delete or change one.")
}

// inactive is the refusal of what only an active package may make.
func inactive() *problem.Problem {
	return problem.Forbidden("package_inactive", "The package is not active on this shop.")
}
