package addon

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/shared/base/each"
	"eshop/shared/base/id"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// packages are the packages of the platform as they are kept: see Packages.
var packages = &record.Kind[Package, PackageFields]{
	Key:    func(_, id string) store.Key { return PackageKey(id) },
	List:   func(string) string { return "PKGS" },
	Split:  func(p *Package) (*record.Head, *PackageFields) { return &p.Head, &p.PackageFields },
	Claims: packageCodes,
	Save: func(_ string, p Package, item *store.Item) {
		if p.Developer != "" {
			item.Index2 = record.IndexKey(packagesOf(p.Developer), p.Version, p.ID)
		}
	},
	Erased: true,
}

// MaxOwnPackages is how many packages a developer has at most.
const MaxOwnPackages = 20

// PackagesOf is Packages for a developer: their own are all that is there, and a new one is theirs.
func PackagesOf(all *record.Kind[Package, PackageFields], developer string) *record.Kind[Package, PackageFields] {
	tooMany := "A developer has " + strconv.Itoa(MaxOwnPackages) + " packages at most."
	return all.OwnedBy(record.Owned[Package]{List: packagesOf(developer), Owner: developer,
		In: func(p *Package) *string { return &p.Developer }},
		record.Quota[Package](quotaKey(developer), numPackages, MaxOwnPackages,
			problem.Conflict("too_many_packages", tooMany)))
}

// numPackages is the number that counts a developer's packages, in the item of quotaKey.
const numPackages = "packages"

func quotaKey(developer string) store.Key { return store.Key{PK: "DEV#" + developer, SK: "PKGS"} }

// packagesOf is the partition of index 2 with a developer's packages, by (changed, id).
func packagesOf(developer string) string { return "DEV#" + developer + "#PKGS" }

// PackageKey is the package's item.
func PackageKey(pkg string) store.Key { return store.Key{PK: "PKG#" + pkg, SK: "A"} }

// packageCodes are the values that no other package may have.
func packageCodes(_ string, f PackageFields) []record.Claim {
	return []record.Claim{{Key: store.Key{PK: "PCODE#" + string(f.Code), SK: "A"},
		Taken: problem.Conflict("code_taken", "Another package has this code.")}}
}

// Item is the package as it is stored.
func (p Package) Item() store.Item { return packages.Item("", p) }

// PackageOf reads a package's item.
func PackageOf(item *store.Item) (Package, error) { return packages.Decode(item) }

// ReadPackage is the package of this id; a problem not_found when there is none.
func ReadPackage(ctx context.Context, t store.Table, id string) (Package, error) {
	return packages.Read(ctx, t, "", id)
}

// Accesses are the accesses of shops as records. They are written by Commands only, and add-ons are told of their
// states.
var Accesses = &record.Kind[Access, Terms]{
	Key:    Key,
	List:   func(shop string) string { return "S#" + shop + "#ACC" },
	Split:  func(a *Access) (*record.Head, *Terms) { return &a.Head, &a.Terms },
	Claims: installClaims,
	Check:  Terms.check,
	Save: func(_ string, a Access, item *store.Item) {
		item.Index2 = installationKey(a)
	},
	Erased: true,
}

// installationsOf is the partition of index 2 with a package's accesses on all shops, by (changed, id).
func installationsOf(pkg string) string { return "PKG#" + pkg + "#ACC" }

// installationKey is where a package's access is in installationsOf.
func installationKey(a Access) store.Key {
	return record.IndexKey(installationsOf(a.Package), a.Version, a.ID)
}

// InstalledAt is the place of an access in its package's Installations.
func InstalledAt(a Access) string { return installationKey(a).SK }

// Installations are where a package's accesses on all shops are listed.
func Installations(t store.Table, pkg string) record.Listing {
	return record.InPartitions(t, store.Index2, installationsOf(pkg))
}

// Hooks is the partition with a shop's accesses (SK A#…) and their receivers (SK R#access#…): what the batcher reads in
// one query.
func Hooks(shop string) string { return "S#" + shop + "#HOOKS" }

// Key is the access's item.
func Key(shop, access string) store.Key { return store.Key{PK: Hooks(shop), SK: "A#" + access} }

// accessesKey is the item of a shop whose number "accesses" says how many accesses there are.
func accessesKey(shop string) store.Key { return store.Key{PK: "S#" + shop, SK: "ACCESSES"} }

// numAccesses is the number that counts a shop's accesses.
const numAccesses = "accesses"

// installClaims is the claim that a package is installed on a shop once.
func installClaims(shop string, t Terms) []record.Claim {
	return []record.Claim{{Key: store.Key{PK: "S#" + shop, SK: "PKG#" + t.Package},
		Taken: problem.Conflict("package_installed", "The package is installed on this shop already.")}}
}

// On is the access of a package on a shop; problem.NotFound if the package is not installed there.
func On(ctx context.Context, t store.Table, shop, pkg string) (Access, error) {
	item, err := Accesses.Find(ctx, t, shop, installClaims(shop, Terms{Package: pkg})[0].Key)
	if err != nil {
		return Access{}, err
	}
	if item == nil {
		return Access{}, problem.NotFound()
	}
	return DecodeAccess(item)
}

// Item is the access as it is stored.
func (a Access) Item() store.Item { return Accesses.Item(a.Shop, a) }

// DecodeAccess reads an access's item.
func DecodeAccess(item *store.Item) (Access, error) { return Accesses.Decode(item) }

// GrantKeys are the keys of the items that EffectivePermissionsOf reads.
func GrantKeys(shop, access, pkg string) []store.Key {
	return []store.Key{Key(shop, access), PackageKey(pkg)}
}

// EffectivePermissionsOf are the effective permissions, by the items of GrantKeys: none of an access or a package that
// is not there.
func EffectivePermissionsOf(items []*store.Item) ([]permission.Permission, error) {
	if items[0] == nil || items[1] == nil {
		return nil, nil
	}
	a, err := DecodeAccess(items[0])
	if err != nil {
		return nil, err
	}
	p, err := PackageOf(items[1])
	return EffectivePermissions(a, p), err
}

// CustomCodes are the custom codes of a package on shops as records; none of another package's is found. A code's text
// lies beside the document, as it was sent, and so does the id of its active cleanup order.
func CustomCodes(pkg string) *record.Kind[CustomCode, CodeFields] {
	return &record.Kind[CustomCode, CodeFields]{
		Key:    func(shop, id string) store.Key { return codeKey(shop, pkg, id) },
		List:   func(shop string) string { return codesPK(shop) + "#" + pkg },
		Split:  func(c *CustomCode) (*record.Head, *CodeFields) { return &c.Head, &c.CodeFields },
		Init:   func(c *CustomCode) { c.Package = pkg },
		Load:   loadCode,
		Save:   keepCode,
		Erased: true,
		Along:  []record.Along[CustomCode]{{Extend: countCodes, Explain: whyNoCode}},
	}
}

// The texts of a custom code's item: its own, and the id of its active cleanup order.
const (
	textCode    = "code"
	textCleanup = "cleanup"
)

// loadCode reads what lies beside the document: the code's text, and the id of its active cleanup order.
func loadCode(c *CustomCode, item *store.Item) {
	c.Code, c.Cleanup = field.Text(item.Text[textCode]), item.Text[textCleanup]
}

// keepCode writes the code's text beside the document, so that it is stored as it was sent and not escaped as JSON.
func keepCode(_ string, c CustomCode, item *store.Item) {
	item.Text = map[string]string{textCode: string(c.Code)}
	if c.Cleanup != "" {
		item.Text[textCleanup] = c.Cleanup
	}
	c.Code = ""
	item.Doc = record.Document(c)
}

// AccessesOf are all accesses of a shop: one query.
func AccessesOf(ctx context.Context, t store.Table, shop string) ([]Access, error) {
	items, err := store.QueryAll(ctx, t, store.Query{PK: Hooks(shop), From: "A#", To: "A#~"}, MaxAccesses)
	if err != nil {
		return nil, err
	}
	all := make([]Access, 0, len(items))
	for i := range items {
		a, err := DecodeAccess(&items[i])
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// ReadPackages are packages by their ids, those that there are.
func ReadPackages(ctx context.Context, t store.Table, ids []string) (map[string]Package, error) {
	items, err := store.GetAll(ctx, t, each.Of(ids, PackageKey))
	if err != nil {
		return nil, err
	}
	all := make(map[string]Package, len(ids))
	for i, item := range items {
		if item == nil {
			continue
		}
		if all[ids[i]], err = PackageOf(item); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// codesPK is the partition with all custom codes of a shop, which one query reads.
func codesPK(shop string) string { return "S#" + shop + "#CODES" }

// codeKey is a custom code's item.
func codeKey(shop, pkg, id string) store.Key { return store.Key{PK: codesPK(shop), SK: pkg + "#" + id} }

// CodesOf are all custom codes of a shop, of all packages, active or not, in the order of created: one query.
func CodesOf(ctx context.Context, t store.Table, shop string) ([]CustomCode, error) {
	return codesIn(ctx, t, store.Query{PK: codesPK(shop)})
}

// codesOfPackage are those of one package.
func codesOfPackage(ctx context.Context, t store.Table, shop, pkg string) ([]CustomCode, error) {
	return codesIn(ctx, t, store.Query{PK: codesPK(shop), From: pkg + "#", To: pkg + "#~"})
}

// codesIn are the custom codes that a query finds, in the order of created. It logs and leaves out one that cannot be
// read: a page of the shop must not fail for it.
func codesIn(ctx context.Context, t store.Table, q store.Query) ([]CustomCode, error) {
	items, err := store.QueryAll(ctx, t, q, MaxAccesses*maxCodes)
	if err != nil {
		return nil, err
	}
	all := make([]CustomCode, 0, len(items))
	for i := range items {
		c, err := anyCodes.Decode(&items[i])
		if err != nil {
			record.LogUnreadable(ctx, items[i].Key, err)
			continue
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b CustomCode) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

// anyCodes reads the items of all packages.
var anyCodes = CustomCodes("")

// endedLife is how long a cleanup order is kept that was executed or cancelled.
const endedLife = 30 * 24 * time.Hour

// CleanupOrders are the cleanup orders of a package on shops as records; none of another package's is found. Deleting
// one cancels it.
func CleanupOrders(pkg string) *record.Kind[CleanupOrder, CleanupFields] {
	return &record.Kind[CleanupOrder, CleanupFields]{
		Key:   func(shop, id string) store.Key { return store.Key{PK: cleanupsPK(shop, pkg) + "#" + id, SK: "A"} },
		List:  func(shop string) string { return cleanupsPK(shop, pkg) },
		Split: func(o *CleanupOrder) (*record.Head, *CleanupFields) { return &o.Head, &o.CleanupFields },
		Init:  func(o *CleanupOrder) { o.Status = CleanupActive },
		Check: func(f CleanupFields) error { return f.check(pkg) },
		Save: func(_ string, o CleanupOrder, item *store.Item) {
			if o.Status != CleanupActive {
				item.Expires = o.Changed.Go().Add(endedLife).Unix()
			}
		},
		Deletion: &record.Deletion[CleanupOrder]{
			Mark:   func(o *CleanupOrder, _ field.Time) { o.Status = CleanupCancelled },
			Marked: func(o CleanupOrder) bool { return o.Status == CleanupCancelled }},
		Along: []record.Along[CleanupOrder]{{Extend: pointToCleanup, Explain: whyNoCleanup}},
	}
}

// cleanupsPK is the partition with a package's cleanup orders on a shop.
func cleanupsPK(shop, pkg string) string { return "S#" + shop + "#X#" + pkg }

// tallyKey is the item that a package has on a shop for its custom codes. The number "codes" says how many there are.
// The number "moves" moves with each code and cleanup order that comes or goes, so that a deactivation misses none.
//
// From a deactivation to the next activation there are three texts. "closed" keeps codes and orders from being made;
// "removed" and "kept" say what the deactivation did. The number "deactivated" is the moment of the last one, in unix
// milliseconds. It stays, for the install codes of the activations before it.
func tallyKey(shop, pkg string) store.Key { return store.Key{PK: "S#" + shop, SK: "CODES#" + pkg} }

// bytesKey is the item of a shop whose number "bytes" says how many bytes its active custom codes have together.
func bytesKey(shop string) store.Key { return store.Key{PK: "S#" + shop, SK: "CODES"} }

const (
	numBytes       = "bytes"
	numCodes       = "codes"
	numMoves       = "moves"
	numDeactivated = "deactivated"
	textClosed     = "closed"
	textRemoved    = "removed"
	textKept       = "kept"
	closed         = "1" // the value of textClosed
)

// TokenKey is the token's item: its SHA-256 in hex.
func TokenKey(hash string) store.Key { return store.Key{PK: "T#" + hash, SK: "A"} }

// tokenIDKey is the item that knows the hash of a token by its id.
func tokenIDKey(access, token string) store.Key {
	return store.Key{PK: "AC#" + access, SK: "T#" + token}
}

// TokensOf is the partition of Index1 with the tokens of an access, by created.
func TokensOf(access string) string { return "AC#" + access + "#TOK" }

// TokenRows are where the tokens of an access are listed, by created; ShowToken shows one.
func TokenRows(t store.Table, access string) record.Listing {
	return record.InPartitions(t, store.Index1, TokensOf(access))
}

// ShowToken is the token of an item for a list, and when it was made.
func ShowToken(item *store.Item) (Token, time.Time, bool, error) {
	t, err := TokenOf(item)
	return t, t.Created.Go(), true, err
}

// NumUsed is the number of a token's item that holds its last use in unix milliseconds; 0 never.
const NumUsed = "used"

// expiredTokenLife is for how long a token that has expired is still listed.
const expiredTokenLife = 30 * 24 * time.Hour

// Item is the token as it is stored.
func (t Token) Item() store.Item {
	i := store.Item{Key: TokenKey(t.Hash), Doc: encode(t),
		Index1: store.Key{PK: TokensOf(t.Access), SK: id.Stamp(t.Created.Go()) + "#" + t.ID}}
	if t.Expires != nil {
		i.Expires = t.Expires.Go().Add(expiredTokenLife).Unix()
	}
	if t.Used != 0 {
		i.Num = map[string]int64{NumUsed: int64(t.Used)}
	}
	return i
}

// Pointer is the item by which a token is found by its id.
func (t Token) Pointer() store.Item {
	return store.Item{Key: tokenIDKey(t.Access, t.ID), Text: map[string]string{"hash": t.Hash},
		Expires: t.Item().Expires}
}

// TokenOf reads a token's item.
func TokenOf(i *store.Item) (t Token, err error) {
	err = i.Into(&t)
	t.Used = field.Time(i.Num[NumUsed])
	return t, err
}

// InstallCodeKey is the code's item: its SHA-256 in hex.
func InstallCodeKey(hash string) store.Key { return store.Key{PK: "IC#" + hash, SK: "A"} }

// UsedKey is the item that is there once a code of the activation was used.
func (c InstallCode) UsedKey() store.Key { return store.Key{PK: "IC#" + c.Activation, SK: "USED"} }

// Item is the code with this hash as it is stored.
func (c InstallCode) Item(hash string) store.Item {
	return store.Item{Key: InstallCodeKey(hash), Doc: encode(c), Expires: c.Expires.Go().Add(time.Hour).Unix()}
}

// UseOp is the operation that uses the code. It ends all codes of its activation with it, also those that are still to
// come. Of several uses at once the store lets one through.
func (c InstallCode) UseOp(now time.Time) store.Op {
	return store.Put(store.Item{Key: c.UsedKey(), Expires: now.Add(activationLife).Unix()}, store.Absent())
}

// InstallCodeOf reads a code's item.
func InstallCodeOf(i *store.Item) (c InstallCode, err error) {
	err = i.Into(&c)
	return c, err
}

// encode is a record as JSON.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("addon: " + err.Error()) // these records hold nothing that JSON cannot
	}
	return b
}
