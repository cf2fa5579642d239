package sale

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/store"
)

// Numbers are the numbers of orders that the only process of a platform draws. It draws a block of a shop's at a time,
// so that most orders wait for one commit instead of two: the one that draws, and their own. What is left of a block is
// given back when the process ends; a crash leaves a gap, as an order does that is refused after its number was drawn.
//
// Where several processes make orders, each number is drawn alone (a nil *Numbers): blocks side by side would not count
// up.
type Numbers struct {
	mu    sync.Mutex
	shops map[string]*block
}

// numbersDrawn is how many numbers a block has.
const numbersDrawn = 64

// block is the numbers of a shop that are drawn and not used: next to last, none when next is more.
type block struct {
	mu         sync.Mutex
	next, last int64
}

// NewNumbers are the numbers of orders of the only process that makes them.
func NewNumbers() *Numbers { return &Numbers{shops: map[string]*block{}} }

// draw is the next number of the unit's shop.
func (n *Numbers) draw(ctx context.Context, u *change.Unit) (int64, error) {
	if n == nil {
		return drawn(ctx, u, 1)
	}
	b := n.of(u.Shop)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next > b.last {
		last, err := drawn(ctx, u, numbersDrawn)
		if err != nil {
			return 0, err
		}
		b.next, b.last = last-numbersDrawn+1, last
	}
	b.next++
	return b.next - 1, nil
}

func (n *Numbers) of(shop string) *block {
	n.mu.Lock()
	defer n.mu.Unlock()
	b := n.shops[shop]
	if b == nil {
		b = &block{next: 1}
		n.shops[shop] = b
	}
	return b
}

// GiveBack makes the numbers that are left the next ones again: the process ends, and leaves no gap.
func (n *Numbers) GiveBack(ctx context.Context, t store.Table) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var errs []error
	for shop, b := range n.shops {
		errs = append(errs, b.giveBack(ctx, t, shop))
	}
	return errors.Join(errs...)
}

func (b *block) giveBack(ctx context.Context, t store.Table, shop string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next > b.last {
		return nil
	}
	_, err := t.Write(ctx, events.Nothing, store.Update(sequenceKey(shop),
		store.Set{Num: map[string]int64{counted: b.next - 1}}, store.NumIs(counted, b.last)))
	b.next = b.last + 1
	return err
}

// drawn adds to the shop's count of numbers, and is the last of those that it added: before the order's transaction, so
// that parallel orders do not meet there.
func drawn(ctx context.Context, u *change.Unit, many int64) (int64, error) {
	item, err := u.Write(ctx, nil, events.Nothing,
		store.Update(sequenceKey(u.Shop), store.Set{Add: map[string]int64{counted: many}}))
	return item.Num[counted], err
}

// number is the year and the shop's n-th order in six digits, or more when it takes more. n never starts again, so that
// numbers only rise.
func number(year int, n int64) string { return strconv.Itoa(year) + fmt.Sprintf("%06d", n) }
