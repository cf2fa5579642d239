// Package addon knows who may call: shops, packages, the accesses of packages on shops, and their tokens, with the keys
// and shapes of their items; and it finds the caller of a token for the frame (contract, sections 1 and 2).
package addon

import (
	"encoding/json"
	"slices"
	"time"

	"eshop/shared/api"
	"eshop/shared/id"
	"eshop/shared/limit"
	"eshop/shared/store"
)

// Package is an add-on.
type Package struct {
	ID           string           `json:"id"`
	Code         string           `json:"code"`
	Name         string           `json:"name"`
	Instructions string           `json:"instructions"`
	Permissions  []api.Permission `json:"permissions"`
	SystemURL    string           `json:"systemUrl,omitempty"`
	Created      api.Time         `json:"created"`
	Version      string           `json:"-"`
}

// State of a package on a shop: installed → active ↔ deactivated.
type State string

// The states of an access.
const (
	Installed   State = "installed"
	Active      State = "active"
	Deactivated State = "deactivated"
)

// Access is a package installed on a shop: what tokens, receivers and signing keys belong to.
type Access struct {
	ID          string           `json:"id"`
	Shop        string           `json:"shopId"`
	Package     string           `json:"packageId"`
	State       State            `json:"state"`
	Permissions []api.Permission `json:"permissions"`
	Hourly      int64            `json:"hourlyLimit,omitempty"` // 0: the default
	Daily       int64            `json:"dailyLimit,omitempty"`
	APIVersion  string           `json:"apiVersion"` // current when it was made; its webhooks carry it
	Created     api.Time         `json:"created"`
	Version     string           `json:"-"`
}

// Limits are the access's own or the defaults.
func (a Access) Limits() limit.Limits {
	l := limit.Default
	if a.Hourly != 0 {
		l.Hourly = a.Hourly
	}
	if a.Daily != 0 {
		l.Daily = a.Daily
	}
	return l
}

// May are the permissions that count: the access's within its package's (contract, section 9).
func May(a Access, p Package) []api.Permission {
	return slices.DeleteFunc(slices.Clone(a.Permissions), func(x api.Permission) bool { return !slices.Contains(p.Permissions, x) })
}

// GrantKeys are the items that say what an access may; MayOf reads them.
func GrantKeys(shop, access, pkg string) []store.Key {
	return []store.Key{Key(shop, access), PackageKey(pkg)}
}

// MayOf are the permissions that count, of the items of GrantKeys: none of an access or a package that is not there.
func MayOf(items []*store.Item) ([]api.Permission, error) {
	if items[0] == nil || items[1] == nil {
		return nil, nil
	}
	a, err := Of(items[0])
	if err != nil {
		return nil, err
	}
	p, err := PackageOf(items[1])
	return May(a, p), err
}

// Token of an access. Only its SHA-256 is kept, as the item's key.
type Token struct {
	ID      string    `json:"id"`
	Access  string    `json:"accessId"`
	Shop    string    `json:"shopId"`
	Package string    `json:"packageId"` // the access's, so that its caller is read in one further call
	Hash    string    `json:"hash"`      // hex SHA-256 of the token
	Last4   string    `json:"last4"`
	Expires *api.Time `json:"expiresAt,omitempty"`
	Created api.Time  `json:"created"`
	Used    api.Time  `json:"-"` // the number "used" of the item: last use, right to five minutes; 0: never
}

// TokenFor is what is kept of a new token of the access; its id's time is its created.
func TokenFor(a Access, token, made string, expires *api.Time) Token {
	return Token{ID: made, Access: a.ID, Shop: a.Shop, Package: a.Package, Hash: Hash(token), Last4: token[len(token)-4:],
		Expires: expires, Created: api.At(id.Time(made))}
}

// The keys of the items, as the architecture's table has them.

// PackageKey is the package's item.
func PackageKey(pkg string) store.Key { return store.Key{PK: "PKG#" + pkg, SK: "A"} }

// Packages is the partition of Index1 in which all packages are.
const Packages = "PKGS"

// PackageCodeKey is the claim of a package's code.
func PackageCodeKey(code string) store.Key { return store.Key{PK: "PCODE#" + code, SK: "A"} }

// Hooks is the partition with a shop's accesses (SK A#…) and their receivers (SK R#access#…): what the batcher reads in
// one query.
func Hooks(shop string) string { return "S#" + shop + "#HOOKS" }

// Key is the access's item.
func Key(shop, access string) store.Key { return store.Key{PK: Hooks(shop), SK: "A#" + access} }

// OfShop is the partition of Index1 with the accesses of a shop.
func OfShop(shop string) string { return "S#" + shop + "#ACC" }

// InstalledKey is the claim that a package is installed on a shop once.
func InstalledKey(shop, pkg string) store.Key { return store.Key{PK: "S#" + shop, SK: "PKG#" + pkg} }

// TokenKey is the token's item: its SHA-256 in hex.
func TokenKey(hash string) store.Key { return store.Key{PK: "T#" + hash, SK: "A"} }

// TokenIDKey is the item that knows the hash of a token by its id.
func TokenIDKey(access, token string) store.Key {
	return store.Key{PK: "AC#" + access, SK: "T#" + token}
}

// Pointer is the item by which a token is found by its id.
func (t Token) Pointer() store.Item {
	return store.Item{Key: TokenIDKey(t.Access, t.ID), Text: map[string]string{"hash": t.Hash}, Expires: t.Item().Expires}
}

// TokensOf is the partition of Index1 with the tokens of an access, by created.
func TokensOf(access string) string { return "AC#" + access + "#TOK" }

// InstallCodeKey is the code's item: its SHA-256 in hex.
func InstallCodeKey(hash string) store.Key { return store.Key{PK: "IC#" + hash, SK: "A"} }

// UsedKey is the item that is there once a code of the activation was used.
func (c InstallCode) UsedKey() store.Key { return store.Key{PK: "IC#" + c.Activation, SK: "USED"} }

// place is where an item lies in an index that goes by time.
func place(partition, version, key string) store.Key {
	return store.Key{PK: partition, SK: version[:10] + "#" + key}
}

// Item is the package as it is stored.
func (p Package) Item() store.Item {
	return store.Item{Key: PackageKey(p.ID), Version: p.Version, Doc: encode(p), Index1: place(Packages, p.Version, p.ID)}
}

// PackageOf reads a package's item.
func PackageOf(i *store.Item) (p Package, err error) {
	err = decode(i, &p)
	p.Version = i.Version
	return p, err
}

// Item is the access as it is stored.
func (a Access) Item() store.Item {
	return store.Item{Key: Key(a.Shop, a.ID), Version: a.Version, Doc: encode(a), Index1: place(OfShop(a.Shop), a.Version, a.ID)}
}

// Of reads an access's item.
func Of(i *store.Item) (a Access, err error) {
	err = decode(i, &a)
	a.Version = i.Version
	return a, err
}

// Item is the token as it is stored. It goes away thirty days after its expiry.
func (t Token) Item() store.Item {
	i := store.Item{Key: TokenKey(t.Hash), Doc: encode(t), Index1: store.Key{PK: TokensOf(t.Access), SK: id.Stamp(t.Created.Go()) + "#" + t.ID}}
	if t.Expires != nil {
		i.Expires = t.Expires.Go().Add(30 * 24 * time.Hour).Unix()
	}
	if t.Used != 0 {
		i.Num = map[string]int64{"used": int64(t.Used)}
	}
	return i
}

// TokenOf reads a token's item.
func TokenOf(i *store.Item) (t Token, err error) {
	err = decode(i, &t)
	t.Used = api.Time(i.Num["used"])
	return t, err
}

// Changed is the moment of a version: what `changed` shows.
func Changed(version string) api.Time { return api.At(id.Time(version)) }

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("addon: " + err.Error()) // these records hold nothing that JSON cannot
	}
	return b
}

func decode(i *store.Item, v any) error { return i.Into(v) }
