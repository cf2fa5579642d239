package products

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/store"
	"eshop/shared/unique"
	"eshop/shared/upsert"
)

// rows are a shop's products as the rows of an import make and change them, by their codes.
type rows struct {
	g      group
	chosen map[store.Key]string // slugs that rows of the transaction get
}

// Rows are the products of the shop of the context's Call. The frame is that of the context.
func Rows(a *api.API, p *host.Platform) upsert.Kind {
	api.Takes[New, Product](a)
	api.Takes[Fields, Details](a)
	api.Takes[VariantFields, Variant](a)
	return &rows{g: group{p}, chosen: map[store.Key]string{}}
}

func (s *rows) Begin() { clear(s.chosen) }

// Key is the code; "" when what stands for it can be none.
func (s *rows) Key(r upsert.Row) string {
	code, _ := r.Fields["code"].(string)
	if len(code) > maxKey || strings.ContainsFunc(code, func(c rune) bool { return c < ' ' }) {
		return ""
	}
	return strings.TrimSpace(code)
}

// maxKey is how many bytes of a code are looked up: more than one can have.
const maxKey = 1000

// row is one row: a new product, or what it makes of one.
type row struct {
	*rows
	upsert.Row
	code   string
	before *Whole // nil: a new one
	next   *Whole
	names  *names
	fault  error
}

// Read reads the products with the rows' codes, whole, and which categories there are: four calls in series, whatever
// the number of rows.
func (s *rows) Read(ctx context.Context, all []upsert.Row) ([]upsert.Record, error) {
	records, own := make([]upsert.Record, len(all)), make([]*row, len(all))
	for i, r := range all {
		own[i] = &row{rows: s, Row: r, code: s.Key(r)}
		records[i] = own[i]
	}
	return records, s.read(ctx, own...)
}

// read begins rows, or begins them anew, with what is there under their codes.
func (s *rows) read(ctx context.Context, own ...*row) error {
	for _, r := range own {
		r.before, r.fault, r.names = nil, nil, newNames(s.g.p, api.From(ctx).Shop, s.chosen)
	}
	if err := s.find(ctx, own); err != nil {
		return err
	}
	for _, r := range own {
		if err := r.form(ctx); err != nil {
			return err
		}
	}
	return s.inCategories(ctx, own)
}

// find reads the products of rows.
func (s *rows) find(ctx context.Context, own []*row) error {
	shop := api.From(ctx).Shop
	owners, err := s.claimants(ctx, shop, own)
	if err != nil {
		return err
	}
	var keys []store.Key
	var of []*row
	for i, r := range own {
		if id, is := strings.CutPrefix(owners[i], "P#"); is {
			keys, of = append(keys, ProductKey(shop, id)), append(of, r)
		}
	}
	heads, err := store.GetAll(ctx, s.g.p.Main, keys)
	if err != nil {
		return err
	}
	var there []*row
	var found []*Head
	for i, r := range of {
		h, err := HeadOf(heads[i])
		if err != nil {
			return err
		}
		if h != nil && string(h.details.Code) == r.code {
			there, found = append(there, r), append(found, h)
		}
	}
	products, err := wholes(ctx, s.g.p.Main, shop, found)
	if err != nil {
		return err
	}
	for i, r := range there {
		r.before = products[i]
	}
	return nil
}

// claimants are who claims the rows' codes; "" where nobody does.
func (s *rows) claimants(ctx context.Context, shop string, own []*row) ([]string, error) {
	keys := make([]store.Key, len(own))
	for i, r := range own {
		keys[i] = CodeKey(shop, r.code)
	}
	claims, err := store.GetAll(ctx, s.g.p.Main, keys)
	owners := make([]string, len(own))
	for i, c := range claims {
		owners[i] = unique.Owner(c)
	}
	return owners, err
}

// form holds the row against the rules, as a POST without a product, as a PATCH of the one there is, and makes of it
// what is to be stored.
func (r *row) form(ctx context.Context) error {
	fields, levels := r.fields()
	err := api.Check[New, Product](ctx, fields, r.before != nil)
	switch {
	case err != nil:
	case r.before == nil:
		err = r.make(ctx, fields)
	default:
		err = r.merge(ctx, fields)
	}
	if err == nil {
		err = r.next.draft().allowed()
	}
	if p := (*api.Problem)(nil); errors.As(err, &p) {
		r.fault, err = levelled(p, levels), nil
	}
	return err
}

// fields are the body with the prices that the row sets among those that there are, and these levels in their order.
func (r *row) fields() (fields map[string]any, levels []string) {
	if r.Prices == nil {
		return r.Fields, nil
	}
	prices := map[string]any{}
	if r.before != nil {
		for _, p := range r.before.details.PriceLevels {
			levels = append(levels, string(p.Level))
			prices[string(p.Level)] = p.Price.String()
		}
	}
	for _, p := range r.Prices {
		if _, has := prices[p.Level]; !has {
			levels = append(levels, p.Level)
		}
		prices[p.Level] = p.Price
	}
	list := make([]any, len(levels))
	for i, level := range levels {
		list[i] = map[string]any{"level": level, "price": prices[level]}
	}
	fields = maps.Clone(r.Fields)
	fields["priceLevels"] = list
	return fields, levels
}

// levelled names price levels as the row did: body.priceLevels.wholesale where a body has body.priceLevels[1].price.
func levelled(p *api.Problem, levels []string) *api.Problem {
	for i := range p.Errors {
		for n, level := range levels {
			if strings.HasPrefix(p.Errors[i].Location, "body.priceLevels["+strconv.Itoa(n)+"]") {
				p.Errors[i].Location = "body.priceLevels." + level
			}
		}
	}
	return p
}

// make is a new product of the row.
func (r *row) make(ctx context.Context, fields map[string]any) error {
	raw, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	var body New
	if err := unmarshal(raw, &body); err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return err
	}
	r.next = body.whole(api.From(ctx))
	return nil
}

// merge is the product there is with the row merged in, its variants by their codes.
func (r *row) merge(ctx context.Context, fields map[string]any) error {
	own := maps.Clone(fields)
	delete(own, "variants")
	d, err := patched(ctx, api.PatchOf[Fields](own), r.before.Details())
	if err != nil {
		return err
	}
	r.next = r.before.clone()
	r.next.setDetails(d)
	variants, _ := fields["variants"].([]any)
	return r.mergeVariants(ctx, variants)
}

// mergeVariants changes the variants whose codes the product has, and adds the others.
func (r *row) mergeVariants(ctx context.Context, sent []any) error {
	there := map[string]Variant{}
	for _, v := range r.before.Variants() {
		there[string(v.Code)] = v
	}
	var f api.Faults
	twice(&f, "variants", "code", sent, codeIn)
	var added []VariantFields
	for i, fields := range sent {
		v, has := there[codeIn(fields)]
		if !has {
			v.VariantDetails = VariantDetails{Active: true, Parameters: []Parameter{}, PriceLevels: []Price{}}
		}
		d, err := patchedVariant(ctx, api.PatchOf[VariantFields](fields), v.VariantDetails)
		switch p := (*api.Problem)(nil); {
		case errors.As(err, &p):
			f = append(f, within(p, at("variants", i, ""))...)
		case err != nil:
			return err
		case has:
			r.next.setVariant(Variant{ID: v.ID, VariantDetails: d})
		default:
			added = append(added, VariantFields{d})
		}
	}
	if err := f.Err(); err != nil {
		return err
	}
	if len(added) > 0 {
		r.next.addVariants(newVariants(api.From(ctx), added))
	}
	return nil
}

func codeIn(variant any) string {
	fields, _ := variant.(map[string]any)
	code, _ := fields["code"].(string)
	return strings.TrimSpace(code)
}

// within are the faults of a part of the body, at their places in the whole.
func within(p *api.Problem, part string) []api.Fault {
	faults := slices.Clone(p.Errors)
	for i := range faults {
		faults[i].Location = "body." + part + strings.TrimPrefix(faults[i].Location, "body")
	}
	return faults
}

// inCategories faults the rows that join categories which are not there.
func (s *rows) inCategories(ctx context.Context, own []*row) error {
	shop := api.From(ctx).Shop
	var keys []store.Key
	for _, r := range own {
		for _, id := range r.joined() {
			if known(id) {
				keys = append(keys, CategoryKey(shop, id))
			}
		}
	}
	heads, err := store.GetAll(ctx, s.g.p.Main, keys)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for i, h := range heads {
		there[idIn(keys[i].PK)] = !Deleted(h)
	}
	for _, r := range own {
		var f api.Faults
		for _, id := range r.joined() {
			if !there[id] {
				place := slices.Index(r.next.details.CategoryIDs, id)
				f.Add(at("categoryIds", place, ""), api.Unknown, "is not a category of this shop")
			}
		}
		if err := f.Err(); err != nil {
			r.fault = err
		}
	}
	return nil
}

// joined are the categories that the row puts its product into.
func (r *row) joined() (ids []string) {
	if r.fault != nil {
		return nil
	}
	for _, id := range r.next.details.CategoryIDs {
		if r.before == nil || !slices.Contains(r.before.details.CategoryIDs, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Plan is all operations on the product's items, names and addresses.
func (r *row) Plan(ctx context.Context) ([]store.Op, []events.Record, error) {
	if r.fault != nil {
		return nil, nil, r.fault
	}
	call := api.From(ctx)
	r.names.begin(ownerOf(OfProduct, r.next.ID))
	if r.before == nil {
		return r.g.made(call, r.next.clone(), r.names)
	}
	return r.g.edited(call, r.before.draft(), r.next.clone().draft(), r.names)
}

// id is the product's; "" of none.
func (w *Whole) id() string {
	if w == nil {
		return ""
	}
	return w.ID
}

// Lost finds out who has the names that the row asked for, and begins it anew: another request may have made its
// product meanwhile, or changed it.
func (r *row) Lost(ctx context.Context, refused *store.ConditionError) error {
	names, was := r.names, r.before
	taken := names.learn(ctx, refused)
	if p := (*api.Problem)(nil); taken != nil && !errors.As(taken, &p) {
		return taken
	}
	names.begin(ownerOf(OfProduct, r.next.ID))
	if err := r.read(ctx, r); err != nil {
		return err
	}
	if was.id() != r.before.id() {
		return nil // it is about another product than it was
	}
	r.names = names
	return taken
}
