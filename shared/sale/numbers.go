package sale

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/guard"
	"eshop/shared/store"
)

// Numbers are the order numbers that the only process of a platform draws. It draws a block for a shop at a time: so
// most orders wait for one commit, their own, instead of two. When the process ends it gives back what is left of a
// block. A crash leaves a gap, as does an order that is refused after its number was drawn.
//
// Where several processes make orders, each number is drawn alone (a nil *Numbers): blocks side by side would not count
// up.
type Numbers struct {
	mu    sync.Mutex
	shops map[string]*block
}

// blockSize is how many numbers are drawn at a time. A crash leaves a gap of as many at most.
const blockSize = 64

// block is the numbers of a shop that are drawn and not used: those after used, up to drawn.
type block struct {
	turn        chan struct{} // holds one while somebody has the block, who may wait for the store
	used, drawn int64
}

// take waits until nobody else has the block, or ctx ends.
func (b *block) take(ctx context.Context) error {
	select {
	case b.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// release lets the next one have the block.
func (b *block) release() { <-b.turn }

// NewNumbers are the numbers of orders of the only process that makes them.
func NewNumbers() *Numbers { return &Numbers{shops: map[string]*block{}} }

// next is the next number of the unit's shop.
func (n *Numbers) next(ctx context.Context, u *change.Unit) (int64, error) {
	if n == nil {
		return draw(ctx, u, 1)
	}
	b := n.of(u.Shop)
	if err := b.take(ctx); err != nil {
		return 0, err
	}
	defer b.release()
	if b.used == b.drawn {
		last, err := draw(ctx, u, blockSize)
		if err != nil {
			return 0, err
		}
		// draw returns the last number of the block, so the block begins after the one before it.
		b.used, b.drawn = last-blockSize, last
	}
	b.used++
	return b.used, nil
}

// of is the block of a shop's numbers.
func (n *Numbers) of(shop string) *block {
	n.mu.Lock()
	defer n.mu.Unlock()
	b := n.shops[shop]
	if b == nil {
		b = &block{turn: make(chan struct{}, 1)}
		n.shops[shop] = b
	}
	return b
}

// GiveBack makes the numbers that are left the next ones again, when the process ends. A number that is needed after
// that draws a new block, and the rest of that block becomes a gap.
func (n *Numbers) GiveBack(ctx context.Context, t store.Table) error {
	n.mu.Lock()
	// Cloned, so that the lock is not held while the store is written to.
	blocks := maps.Clone(n.shops)
	n.mu.Unlock()
	shops := slices.Collect(maps.Keys(blocks))
	return errors.Join(guard.Each(ctx, len(shops), func(i int) error {
		if err := blocks[shops[i]].giveBack(ctx, t, shops[i]); err != nil {
			return fmt.Errorf("numbers of orders of shop %s that were drawn and not used are a gap: %w", shops[i], err)
		}
		return nil
	})...)
}

// giveBack writes that the numbers behind the last used one were not drawn, on condition that nobody has drawn more
// since.
func (b *block) giveBack(ctx context.Context, t store.Table, shop string) error {
	if err := b.take(ctx); err != nil {
		return err
	}
	defer b.release()
	if b.used == b.drawn {
		return nil
	}
	_, err := t.Write(ctx, events.Nothing, store.Update(sequenceKey(shop),
		store.Set{Num: map[string]int64{lastDrawn: b.used}}, store.NumIs(lastDrawn, b.drawn)))
	// Even after an error: whether it was written is not known, and a number must not be used twice.
	b.used = b.drawn
	if is, failed := store.Failed(err, sequenceKey(shop)); failed && is.Item == nil {
		return nil // the shop was deleted
	}
	return err
}

// draw draws the next numbers of the shop and returns the last of them. It runs before the order's transaction, so that
// orders made at once do not meet there.
func draw(ctx context.Context, u *change.Unit, many int64) (int64, error) {
	item, err := u.Write(ctx, nil, events.Nothing,
		store.Update(sequenceKey(u.Shop), store.Set{Add: map[string]int64{lastDrawn: many}}))
	return item.Num[lastDrawn], err
}

// number is the year and the shop's nth order, in six digits or more. n never starts again, so numbers rise, unless a
// clock is set back over a New Year.
func number(year int, n int64) string { return strconv.Itoa(year) + fmt.Sprintf("%06d", n) }
