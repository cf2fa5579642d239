package products

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/store"
)

// Kept is a product as its items hold it.
type Kept struct {
	ID      string
	Version string
	Created api.Time
	Address Address
	details Details          // texts only if they are in the head or loaded; stock not filled in
	stock   map[string]Stock // by variant; "" the product's own
	parts   []part           // their variants and texts only when whole
	text    string           // version of the text item; "" when the texts are in the head
	whole   bool             // parts and text item are loaded
	head    *store.Item
}

// document is what a head holds as JSON.
type document struct {
	Details
	Created api.Time `json:"created"`
	Parts   []part   `json:"parts,omitempty"`
	Text    string   `json:"text,omitempty"`
}

// texts is what a text item holds.
type texts struct {
	Short api.Text `json:"shortDescription,omitempty"`
	Long  api.Text `json:"description,omitempty"`
}

// Texts above this many bytes are an item of their own, so that stock edits and lists of heads do not carry them.
const textBytes = 8 << 10

// Head reads a product's head; nil when there is none or it was deleted.
func Head(item *store.Item) (*Kept, error) {
	if Deleted(item) {
		return nil, nil
	}
	var d document
	if err := item.Into(&d); err != nil {
		return nil, err
	}
	d.fill()
	k := &Kept{ID: idIn(item.PK), Version: item.Version, Created: d.Created, Address: AddressOf(item), details: d.Details,
		parts: d.Parts, text: d.Text, head: item, stock: stockIn(item), whole: len(d.Parts) == 0 && d.Text == ""}
	return k, nil
}

// stockIn reads all stock of a head.
func stockIn(head *store.Item) map[string]Stock {
	all := make(map[string]Stock, len(head.Num))
	for name, n := range head.Num {
		if name != "q" && !strings.HasPrefix(name, "q.") {
			continue
		}
		variant := strings.TrimPrefix(strings.TrimPrefix(name, "q"), ".")
		all[variant] = Stock{Quantity: n, Availability: api.Line(head.Text[availabilityOf(variant)])}
	}
	return all
}

// errTorn is a product read while it was written: head and the rest are not of one write.
var errTorn = errors.New("products: read while written")

// rest are the keys of the items beside the head.
func (k *Kept) rest() []store.Key {
	keys := keysOf(store.Item{Key: k.head.Key, Parts: counted(len(k.parts), k.text != "")})
	return keys[1:]
}

// complete fills in the items beside the head, found by their sort keys.
func (k *Kept) complete(items map[string]*store.Item) error {
	for n := range k.parts {
		p := &k.parts[n]
		item := items[partSK(n)]
		if item == nil || item.Version != p.Version {
			return errTorn
		}
		p.doc = item.Doc
		if err := item.Into(&p.variants); err != nil {
			return err
		}
	}
	if k.text != "" {
		var t texts
		item := items[textSK]
		if item == nil || item.Version != k.text {
			return errTorn
		}
		if err := item.Into(&t); err != nil {
			return err
		}
		k.details.ShortDescription, k.details.Description = t.Short, t.Long
	}
	k.whole = true
	return nil
}

// completed are products with what is beside their heads, nil where one is gone meanwhile.
func completed(ctx context.Context, t store.Table, shop string, all []*Kept) ([]*Kept, error) {
	var keys []store.Key
	for _, k := range all {
		keys = append(keys, k.rest()...)
	}
	items, err := store.GetAll(ctx, t, keys)
	if err != nil {
		return all, err
	}
	by := map[string]map[string]*store.Item{}
	for i, key := range keys {
		if by[key.PK] == nil {
			by[key.PK] = map[string]*store.Item{}
		}
		by[key.PK][key.SK] = items[i]
	}
	for i, k := range all {
		err := k.complete(by[k.head.PK])
		if errors.Is(err, errTorn) {
			all[i], err = Read(ctx, t, shop, k.ID)
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// Product is the product as answers show it. It must be whole.
func (k *Kept) Product(website string) Product {
	return Product{ID: k.ID, Details: k.Details(), URL: ActiveURL(website, k.Address), Variants: k.Variants(), Created: k.Created,
		Changed: changedAt(k.Version)}
}

// Details are the product's own.
func (k *Kept) Details() Details {
	d := k.details
	d.Stock = k.stock[""]
	return d
}

// Variants are the product's, in their order. The product must be whole.
func (k *Kept) Variants() []Variant {
	all := make([]Variant, 0, len(k.stock)-1)
	for _, p := range k.parts {
		for _, v := range p.variants {
			v.Stock = k.stock[v.ID]
			v.Parameters, v.PriceLevels = some(v.Parameters), some(v.PriceLevels)
			all = append(all, v)
		}
	}
	return all
}

// VariantIDs are the ids of the product's variants, in their order.
func (k *Kept) VariantIDs() []string {
	var ids []string
	for _, p := range k.parts {
		ids = append(ids, p.IDs...)
	}
	return ids
}

// Has says whether the product has the variant.
func (k *Kept) Has(variant string) bool {
	_, has := k.stock[variant]
	return has && variant != ""
}

// Variant is one of the product's. The product must be whole.
func (k *Kept) Variant(id string) (Variant, bool) {
	for _, v := range k.Variants() {
		if v.ID == id {
			return v, true
		}
	}
	return Variant{}, false
}

// codes are all codes that the product claims. Of one that is not whole, its own only.
func (k *Kept) codes() []string {
	all := []string{string(k.details.Code)}
	for _, p := range k.parts {
		for _, v := range p.variants {
			all = append(all, string(v.Code))
		}
	}
	return all
}

// clone is a copy to be changed.
func (k *Kept) clone() *Kept {
	c := *k
	c.stock = maps.Clone(k.stock)
	c.parts = slices.Clone(k.parts)
	return &c
}

// setVariants replaces the variants, those that stay in place in their parts.
func (k *Kept) setVariants(keep func(Variant) (Variant, bool), added ...Variant) {
	groups := make([][]Variant, len(k.parts))
	for i, p := range k.parts {
		for _, v := range p.variants {
			if v, ok := keep(v); ok {
				groups[i] = append(groups[i], k.shelve(v))
			} else {
				delete(k.stock, v.ID)
			}
		}
	}
	for i := range added {
		added[i] = k.shelve(added[i])
	}
	k.parts = arrange(groups, added)
}

// shelve puts a variant's stock where stock is kept; the variant it returns has none.
func (k *Kept) shelve(v Variant) Variant {
	k.stock[v.ID] = v.Stock
	v.Stock = Stock{}
	return v
}

// setVariant changes one variant.
func (k *Kept) setVariant(to Variant) {
	k.setVariants(func(v Variant) (Variant, bool) {
		if v.ID == to.ID {
			return to, true
		}
		v.Stock = k.stock[v.ID]
		return v, true
	})
}

// removeVariant takes one variant away.
func (k *Kept) removeVariant(id string) {
	k.setVariants(func(v Variant) (Variant, bool) { v.Stock = k.stock[v.ID]; return v, v.ID != id })
}

// addVariants puts variants behind those there are.
func (k *Kept) addVariants(added []Variant) {
	k.setVariants(func(v Variant) (Variant, bool) { v.Stock = k.stock[v.ID]; return v, true }, added...)
}

// setDetails replaces the product's own details.
func (k *Kept) setDetails(d Details) {
	k.stock[""] = d.Stock
	d.Stock = Stock{}
	k.details = d
}

// Read is the product with everything of it, strongly consistent: one Query. It is nil when there is none or it was
// deleted.
func Read(ctx context.Context, t store.Table, shop, product string) (*Kept, error) {
	k, _, err := read(ctx, t, shop, product, textSK)
	return k, err
}

// read is Read with all items up to a sort key, which it returns too.
func read(ctx context.Context, t store.Table, shop, product, to string) (*Kept, []store.Item, error) {
	if !known(product) {
		return nil, nil, nil
	}
	for range api.Rounds(ctx) {
		items, err := partition(ctx, t, store.Query{PK: ProductKey(shop, product).PK, From: headSK, To: to})
		if err != nil {
			return nil, nil, err
		}
		k, err := assemble(items)
		if !errors.Is(err, errTorn) {
			return k, items, err
		}
	}
	return nil, nil, store.ErrUnavailable
}

// assemble makes a product of the items of its partition.
func assemble(items []store.Item) (*Kept, error) {
	if len(items) == 0 || items[0].SK != headSK {
		return nil, nil
	}
	k, err := Head(&items[0])
	if k == nil || err != nil {
		return nil, err
	}
	by := make(map[string]*store.Item, len(items))
	for i := range items {
		by[items[i].SK] = &items[i]
	}
	return k, k.complete(by)
}

// partition is all items that a query finds.
func partition(ctx context.Context, t store.Table, q store.Query) ([]store.Item, error) {
	page, err := t.Query(ctx, q)
	if err != nil {
		return nil, err
	}
	items := page.Items
	for page.Next != "" {
		q.After = page.Next
		if page, err = t.Query(ctx, q); err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
	}
	return items, nil
}

// diff is what changed between two states of a product: the groups, sorted, and the variants touched. Neither: nothing.
func diff(before, after *Kept) ([]events.Group, []string) {
	groups := map[events.Group]bool{}
	note := func(g ...events.Group) {
		for _, x := range g {
			groups[x] = true
		}
	}
	note(before.details.groups(after.details)...)
	if before.stock[""] != after.stock[""] {
		note(events.Stock)
	}
	if before.Address.Active != after.Address.Active {
		note(events.InURLs)
	}
	touched := variantsDiff(before, after, note)
	return slices.Sorted(maps.Keys(groups)), touched
}

func variantsDiff(before, after *Kept, note func(...events.Group)) (touched []string) {
	was, is := before.loaded(), after.loaded()
	for _, id := range after.VariantIDs() {
		old, had := before.stock[id]
		var g []events.Group
		switch {
		case !had:
			g = []events.Group{events.Variants}
		case old != after.stock[id]:
			g = append(was[id].groups(is[id]), events.Stock)
		default:
			g = was[id].groups(is[id])
		}
		if len(g) > 0 {
			note(g...)
			touched = append(touched, id)
		}
	}
	for _, id := range before.VariantIDs() {
		if !after.Has(id) {
			note(events.Variants)
			touched = append(touched, id)
		}
	}
	return touched
}

// loaded are the variants that are loaded, by id.
func (k *Kept) loaded() map[string]VariantDetails {
	all := map[string]VariantDetails{}
	for _, p := range k.parts {
		for _, v := range p.variants {
			all[v.ID] = v.VariantDetails
		}
	}
	return all
}

// moment is when a version was made, for pages.
func moment(version string) time.Time { return changedAt(version).Go() }
