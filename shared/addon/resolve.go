package addon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/people/bearer"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/shop"
)

// maxKnown is how many holders are remembered at most; usedEvery is how exact lastUsedAt is (contract,
// "Authentication").
const (
	maxKnown  = 10_000
	usedEvery = 5 * time.Minute
)

// Resolver finds the caller of a token, or of an access itself. It is safe for concurrent use. It never remembers that
// a token is unknown: a token that is made a moment later works at once.
type Resolver struct {
	// Timeout is the time of one look-up, which goes on when the request that began it ends: others may wait for it.
	Timeout time.Duration

	table store.Table
	now   func() time.Time
	shops shop.Places
	life  time.Duration

	lookUps singleflight.Group // by hash and dropped
	mu      sync.RWMutex
	known   map[hash]*holder
	dropped int // how often callers were dropped: what a look-up that began before has found is not remembered
}

type hash [sha256.Size]byte

// hashOf is the hash of a token, as secret.Hash has it in hex, or of an access's id: no token is as short, so that they
// cannot meet. It makes no allocation.
func hashOf(text string) hash {
	var b [len(LiveToken) + bearer.Length]byte
	return sha256.Sum256(b[:copy(b[:], text)])
}

// holder is who a token belongs to, or what an access is.
type holder struct {
	caller  *change.Caller
	expires field.Time   // of the token; 0: never
	until   int64        // unix nanoseconds until which it is remembered; 0: until it is dropped
	used    atomic.Int64 // unix milliseconds of the token's last use that is noted; 0: none
}

// reading reads a holder from the table.
type reading = func(context.Context) (*holder, error)

// NewResolver makes a resolver that remembers callers for life, 30 s on AWS. 0 stands for "until they are dropped": in
// the one process each write drops the callers that it changes.
func NewResolver(table store.Table, now func() time.Time, shops shop.Places, life time.Duration) *Resolver {
	return &Resolver{Timeout: 5 * time.Second, table: table, now: now, shops: shops, life: life,
		known: map[hash]*holder{}}
}

// Authenticate finds the caller of a token; change.ErrUnauthenticated if the token is unknown, expired or revoked. If
// the access is not active, the caller is found and says so.
func (r *Resolver) Authenticate(ctx context.Context, token string) (*change.Caller, error) {
	if !bearer.WellFormed(token, LiveToken, TestToken) {
		return nil, change.ErrUnauthenticated
	}
	at, now := hashOf(token), r.now()
	h := r.remembered(at, now)
	if h == nil {
		var err error
		h, err = r.shared(ctx, at, func(ctx context.Context) (*holder, error) { return r.ofToken(ctx, at) })
		if err != nil {
			return nil, err
		}
	}
	if h.expires != 0 && h.expires <= field.At(now) {
		return nil, change.ErrUnauthenticated
	}
	r.use(ctx, at, h, now)
	return h.caller, nil
}

// Caller is the caller that every token of the access leads to, for work that goes on without a token. It is as current
// as Authenticate's. It is change.ErrUnauthenticated if there is no such access of that package on that shop.
func (r *Resolver) Caller(ctx context.Context, shop, access, pkg string) (*change.Caller, error) {
	at := hashOf(access)
	h := r.remembered(at, r.now())
	if h == nil {
		var err error
		read := func(ctx context.Context) (*holder, error) { return r.ofAccess(ctx, shop, access, pkg) }
		if h, err = r.shared(ctx, at, read); err != nil {
			return nil, err
		}
	}
	if h.caller.Shop != shop || h.caller.Package != pkg {
		return nil, change.ErrUnauthenticated
	}
	return h.caller, nil
}

// remembered is what is known and still to be believed; nil: nothing.
func (r *Resolver) remembered(at hash, now time.Time) *holder {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if h := r.known[at]; h != nil && (h.until == 0 || h.until > now.UnixNano()) {
		return h
	}
	return nil
}

// shared reads what is not remembered, once for all who ask for it meanwhile, and remembers it, unless callers were
// dropped since: then it may have read what held before, and whoever asks later reads for himself.
func (r *Resolver) shared(ctx context.Context, at hash, read reading) (*holder, error) {
	r.mu.RLock()
	before := r.dropped
	r.mu.RUnlock()
	found := r.lookUps.DoChan(string(at[:])+strconv.Itoa(before), func() (held any, err error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Timeout)
		defer cancel()
		err = guard.Do(ctx, func() error {
			found, err := read(ctx)
			if err == nil {
				r.remember(at, found, before)
			}
			held = found
			return err
		})
		return held, err
	})
	select {
	case one := <-found:
		if one.Err != nil {
			return nil, one.Err
		}
		return one.Val.(*holder), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// remember keeps the holder, in the place of another one if there are too many, unless callers were dropped since
// before.
func (r *Resolver) remember(at hash, h *holder, before int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dropped != before {
		return
	}
	if _, has := r.known[at]; !has && len(r.known) >= maxKnown {
		for other := range r.known {
			delete(r.known, other)
			break
		}
	}
	r.known[at] = h
}

// ofToken reads the token, and then, in one call, all that its caller is made of.
func (r *Resolver) ofToken(ctx context.Context, at hash) (*holder, error) {
	items, err := r.table.Get(ctx, TokenKey(hex.EncodeToString(at[:])))
	if err != nil {
		return nil, err
	}
	if items[0] == nil {
		return nil, change.ErrUnauthenticated
	}
	token, err := TokenOf(items[0])
	if err != nil {
		return nil, err
	}
	h, err := r.ofAccess(ctx, token.Shop, token.Access, token.Package)
	if err != nil {
		return nil, err
	}
	if token.Expires != nil {
		h.expires = *token.Expires
	}
	h.used.Store(int64(token.Used))
	return h, nil
}

// ofAccess reads all that the access's caller is made of, in one call.
func (r *Resolver) ofAccess(ctx context.Context, shopID, access, pkg string) (*holder, error) {
	items, err := r.table.Get(ctx, Key(shopID, access), PackageKey(pkg), shop.Key(shopID))
	if err != nil {
		return nil, err
	}
	h := &holder{}
	if h.caller, err = r.caller(items); err != nil {
		return nil, err
	}
	if r.life > 0 {
		h.until = r.now().Add(r.life).UnixNano()
	}
	return h, nil
}

// caller is made of the items of an access, its package and its shop. Without one of them there is no caller.
func (r *Resolver) caller(items []*store.Item) (*change.Caller, error) {
	if items[0] == nil || items[1] == nil || items[2] == nil {
		return nil, change.ErrUnauthenticated
	}
	access, err := DecodeAccess(items[0])
	if err != nil {
		return nil, err
	}
	pkg, err := PackageOf(items[1])
	if err != nil {
		return nil, err
	}
	if pkg.ID != access.Package {
		return nil, change.ErrUnauthenticated
	}
	tenant, err := shop.Decode(items[2])
	if err != nil {
		return nil, err
	}
	return &change.Caller{
		Access: access.ID, Package: access.Package, Active: access.State == Active && !tenant.Closed(),
		Permissions: EffectivePermissions(access, pkg), Limits: access.Limits(), Version: access.APIVersion,
		Shop: access.Shop, Website: r.shops.Website(tenant), Locale: string(tenant.Locale), Currency: tenant.Currency,
	}, nil
}

// use notes that the token is used: the first time at once, then at most every five minutes. A note that fails is
// logged; the request goes on.
func (r *Resolver) use(ctx context.Context, at hash, h *holder, now time.Time) {
	was, ms := h.used.Load(), now.UnixMilli()
	if was != 0 && ms-was < usedEvery.Milliseconds() || !h.used.CompareAndSwap(was, ms) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Timeout)
	defer cancel()
	_, err := r.table.Write(ctx, events.Nothing, store.Update(TokenKey(hex.EncodeToString(at[:])),
		store.Set{Num: map[string]int64{NumUsed: ms}}, store.Present(), store.AtMost(NumUsed, ms)))
	if err != nil && !store.IsCondition(err) {
		slog.WarnContext(ctx, "a token's last use was not noted", "access", h.caller.Access, "error", err)
	}
}

// Drop forgets the callers of an access. It and its siblings are called after each write to what callers are made of,
// whether it worked or not, so that the next request is answered by what is stored.
func (r *Resolver) Drop(access string) {
	r.drop(func(_ hash, c *change.Caller) bool { return c.Access == access })
}

// DropPackage forgets the callers of a package, on all shops.
func (r *Resolver) DropPackage(pkg string) {
	r.drop(func(_ hash, c *change.Caller) bool { return c.Package == pkg })
}

// DropShop forgets the callers of a shop.
func (r *Resolver) DropShop(shop string) {
	r.drop(func(_ hash, c *change.Caller) bool { return c.Shop == shop })
}

// DropToken forgets the caller of the token with this hash.
func (r *Resolver) DropToken(hashed string) {
	var h hash
	if b, err := hex.DecodeString(hashed); err == nil && len(b) == len(h) {
		copy(h[:], b)
	}
	r.drop(func(at hash, _ *change.Caller) bool { return at == h })
}

// drop forgets holders. Whoever asks from now on begins a look-up of his own: one under way may have read what was
// before.
func (r *Resolver) drop(whose func(hash, *change.Caller) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropped++
	for at, h := range r.known {
		if whose(at, h.caller) {
			delete(r.known, at)
		}
	}
}

// PackageActive says whether the access's package is active on its shop: what a price quote depends on. It is as
// current as the store.
func (r *Resolver) PackageActive(ctx context.Context, shop, access string) (bool, error) {
	items, err := r.table.Get(ctx, Key(shop, access))
	if err != nil || items[0] == nil {
		return false, err
	}
	a, err := DecodeAccess(items[0])
	return a.State == Active, err
}
