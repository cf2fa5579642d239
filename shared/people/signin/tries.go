package signin

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// The tries of a subject in any minute (contract, "Bounds of strangers").
const (
	MostOfAddress = 10
	MostOfAccount = 5
)

// Subject is whose tries are counted, and how many it has in any minute.
type Subject struct {
	name string
	most int
}

// Address is the subject of a network address.
func Address(address string) Subject { return Subject{"address " + Network(address), MostOfAddress} }

// Network is a network address as one whose tries are counted together: of IPv6 the /64, which is what one connection
// is given.
func Network(address string) string {
	if ip, err := netip.ParseAddr(address); err == nil {
		if ip = ip.Unmap().WithZone(""); ip.Is6() {
			ip = netip.PrefixFrom(ip, 64).Masked().Addr()
		}
		address = ip.String()
	}
	return address
}

// Visits is the subject of what strangers at an address do in a shop without an account, so often in any minute at
// most. what names it. 0: any number.
func Visits(what, shop, address string, most int64) Subject {
	return Subject{strings.Join([]string{what, shop, Network(address)}, " "), int(most)}
}

// Repeats is the subject of what is done to one thing of a shop, so often in any minute at most. 0: any number.
func Repeats(what, shop, of string, most int64) Subject {
	return Subject{strings.Join([]string{what, shop, of}, " of "), int(most)}
}

// Account is the subject of an account of a kind of people in a shop, whether or not there is such an account: name is
// what the person signs in by, as it is compared.
func Account(kind, shop, name string) Subject {
	return Subject{strings.Join([]string{"account", kind, shop, name}, " "), MostOfAccount}
}

// Tries are all tries at passwords, and what visitors do that makes rows or takes stock. Subjects are kept as their
// HMAC under Key, for a minute.
type Tries struct{ Key []byte }

// Count takes one try of each subject. If one of them has none left, it takes none and is the problem too_many_tries.
// It is called before a hash is computed, a row made or stock taken. However many tries come at once, no more pass than
// there are.
func (t Tries) Count(ctx context.Context, u *change.Unit, subjects ...Subject) error {
	subjects = slices.DeleteFunc(slices.Clone(subjects), func(s Subject) bool { return s.most == 0 })
	if len(subjects) == 0 {
		return nil
	}
	keys := each.Of(subjects, t.key)
	_, err := record.Retry(ctx, func() (store.Item, error) {
		items, err := u.Table.Get(ctx, keys...)
		if err != nil {
			return store.Item{}, err
		}
		now, ops := u.Now().UnixMilli(), make([]store.Op, len(subjects))
		var wait time.Duration
		for i, s := range subjects {
			past, err := pastTries(items[i], now)
			if err != nil {
				return store.Item{}, err
			}
			if len(past) >= s.most {
				wait = max(wait, time.Duration(past[len(past)-s.most]-now)*time.Millisecond+time.Minute)
				continue
			}
			ops[i] = tried(keys[i], items[i], append(past, now), u.NewID())
		}
		if wait > 0 {
			return store.Item{}, tooMany(wait)
		}
		return u.Table.Write(ctx, events.Nothing, ops...)
	})
	return err
}

// pastTries are the moments, in unix milliseconds and in their order, of the tries that are less than a minute old.
func pastTries(item *store.Item, now int64) ([]int64, error) {
	if item == nil {
		return nil, nil
	}
	var past []int64
	if err := item.Into(&past); err != nil {
		return nil, err
	}
	slices.Sort(past)
	return slices.DeleteFunc(past, func(at int64) bool { return at <= now-time.Minute.Milliseconds() }), nil
}

// tried is the operation that keeps tries in the place of was.
func tried(key store.Key, was *store.Item, tries []int64, version string) store.Op {
	held := store.Absent()
	if was != nil {
		held = store.VersionIs(was.Version)
	}
	doc, _ := json.Marshal(tries) // numbers always can be
	last := time.UnixMilli(slices.Max(tries))
	return store.Put(store.Item{Key: key, Version: version, Doc: doc, Expires: last.Add(time.Minute).Unix() + 1}, held)
}

// tooMany is the 429 of a subject without tries.
func tooMany(wait time.Duration) *problem.Problem {
	return &problem.Problem{Status: http.StatusTooManyRequests, Code: "too_many_tries",
		Header: problem.RetryAfter(wait), Detail: "Too many tries within a minute: try again after Retry-After."}
}
