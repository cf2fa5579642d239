package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// Numbers holds a shop's order numbers to their rule (contract, "Orders"): each is given once, and an order that is
// asked for after an answer has a higher number than that answer. A clock that is set back over a New Year sets back
// the year, with which a number begins, by one, and nothing else. It is safe for concurrent use.
type Numbers struct {
	mu  sync.Mutex
	all []numbered
}

type numbered struct {
	begun, ended int64
	number       string
}

// year is what the number begins with; 0 if it begins with none.
func (n numbered) year() int {
	y, _ := strconv.Atoi(n.number[:min(len("2026"), len(n.number))])
	return y
}

// inShop is the number without its year: it counts the orders of the shop.
func (n numbered) inShop() string { return n.number[min(len("2026"), len(n.number)):] }

// Add adds the number of an order that was asked for and answered at these moments of a History.
func (n *Numbers) Add(begun, ended int64, number string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, numbered{begun, ended, number})
}

// Check returns an error for the first number that breaks the rule, and if there is none.
func (n *Numbers) Check() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.all) == 0 {
		return errors.New("no order has a number")
	}
	byNumber := slices.Clone(n.all)
	slices.SortFunc(byNumber, func(a, b numbered) int { return compareNumbers(a.inShop(), b.inShop()) })
	latest, of := int64(0), "" // when the last to be asked for of the lower numbers was, and which number it has
	for i, one := range byNumber {
		if i > 0 && byNumber[i-1].inShop() == one.inShop() {
			return fmt.Errorf("the number %s was given to two orders", one.number)
		}
		if between := one.year() - byNumber[max(i-1, 0)].year(); between < -1 || between > 1 {
			return fmt.Errorf("the numbers %s and %s are years apart", byNumber[i-1].number, one.number)
		}
		if one.ended < latest {
			return fmt.Errorf("the order with number %s was asked for after the answer with %s", of, one.number)
		}
		if one.begun > latest {
			latest, of = one.begun, one.number
		}
	}
	return nil
}

// compareNumbers compares strings of digits by their value.
func compareNumbers(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// Window is the requests of an access in one window of a rate limit (contract, "Rate limits" and "The one process"):
// however many are parallel no more than the limit pass, and none is denied before; a crash of the one process forgets
// at most what passed in its last second.
type Window struct {
	Limit          int
	Passed, Denied int
	Unknown        int // answers that never came: each may have passed or not
	Forgotten      int // passed so shortly before a crash that their charges may not have been written
}

// Check returns an error when more passed than may, or some were denied before all had passed.
func (w Window) Check() error {
	if w.Passed > w.Limit+w.Forgotten {
		return fmt.Errorf("%d requests passed of a limit of %d, and crashes may have forgotten %d",
			w.Passed, w.Limit, w.Forgotten)
	}
	if w.Denied > 0 && w.Passed+w.Unknown < w.Limit {
		return fmt.Errorf("%d were denied, though %d had passed of %d", w.Denied, w.Passed, w.Limit)
	}
	return nil
}

// Excused adds what passed beyond the limit.
func (w Window) Excused(e *Excused) {
	e.add(requests, "beyond a limit", max(0, w.Passed-w.Limit))
}
