package catalog

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/base/problem"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Forms are how a door reads rows of products: as the bodies of the operations on products and variants.
type Forms struct {
	Product record.Form[ProductNew]
	Check   func(fields map[string]any) error // what is wrong with a row that changes a product and its variants
	Fields  record.Form[ProductFields]
	Variant record.Form[VariantFields]

	Category record.Form[CategoryFields] // of those that rows name and that are missing
}

// rows are a shop's products as the rows of an import make and change them, by their codes.
type rows struct {
	catalog Catalog
	unit    *change.Unit
	forms   Forms
	chosen  map[store.Key]string // slugs that rows of the transaction get
	tree    *tree
}

// Rows are the products of the unit's shop.
func (c Catalog) Rows(u *change.Unit, forms Forms) record.Upserts {
	return &rows{catalog: c, unit: u, forms: forms, chosen: map[store.Key]string{}, tree: &tree{}}
}

func (s *rows) Begin() { clear(s.chosen) }

// Key is the code; "" when what stands for it can be none.
func (s *rows) Key(r record.Row) string {
	code, _ := r.Fields["code"].(string)
	if len(code) > record.MaxRowKey || strings.ContainsFunc(code, func(c rune) bool { return c < ' ' }) {
		return ""
	}
	return strings.TrimSpace(code)
}

// row is one row: a new product, or what it makes of one.
type row struct {
	*rows
	record.Row
	code   string
	before *Whole // nil: a new one
	next   *Whole
	names  *address.Names
	fault  error

	missing map[string][]string // paths of categories that are not there, by what stands for them in next
}

// Read reads the products with the rows' codes, whole, and which categories there are: four calls in series, whatever
// the number of rows. Of large products it reads atOnce bytes at most, one product at least, and leaves further rows.
func (s *rows) Read(ctx context.Context, all []record.Row) ([]record.Upsert, error) {
	own := each.Of(all, func(r record.Row) *row { return &row{rows: s, Row: r, code: s.Key(r)} })
	n, err := s.read(ctx, own...)
	return each.Of(own[:n], func(r *row) record.Upsert { return r }), err
}

// read begins rows, for the first time or anew, with what is there under their codes: as many of them, from the first
// on, as it says. It looks up no other names: when a row is written, the rows before it may have changed who has them.
func (s *rows) read(ctx context.Context, own ...*row) (n int, err error) {
	for _, r := range own {
		r.before, r.fault, r.names = nil, nil, s.catalog.Addresses.Names(s.unit)
		r.missing = map[string][]string{}
		r.names.Unasked, r.names.Chosen = true, s.chosen
	}
	if n, err = s.find(ctx, own); err != nil {
		return 0, err
	}
	for _, r := range own[:n] {
		if err := r.validate(ctx); err != nil {
			return 0, err
		}
	}
	return n, s.inCategories(ctx, own[:n])
}

// find reads the products of the first rows: who claims their codes, those heads, and what is beside them, as far as
// that is not too much at once. A claim may have been left behind, so a product counts only when it has the code
// itself.
func (s *rows) find(ctx context.Context, own []*row) (n int, err error) {
	shop, t := s.unit.Shop, s.unit.Table
	codes := each.Of(own, func(r *row) store.Key { return CodeKey(shop, r.code) })
	claims, err := store.GetAll(ctx, t, codes)
	if err != nil {
		return 0, err
	}
	products := each.Of(claims, func(claim *store.Item) string { return address.OwnerOf(claim).Item })
	heads, err := Heads(ctx, t, shop, products)
	if err != nil {
		return 0, err
	}
	for i, h := range heads {
		if h != nil && string(h.details.Code) != own[i].code {
			heads[i] = nil
		}
	}
	n = together(heads)
	all, err := wholes(ctx, t, heads[:n])
	for i, w := range all {
		own[i].before = w
	}
	return n, err
}

// validate checks the row by the rules, as a POST where there is no product, as a PATCH of the one that there is, and
// makes of it what is to be stored.
func (r *row) validate(ctx context.Context) error {
	fields, prices := r.fields()
	paths, named := fields["categoryIds"].(CategoryPaths)
	if named {
		ids, err := r.locate(ctx, paths)
		if err != nil {
			return err
		}
		fields = maps.Clone(fields)
		fields["categoryIds"] = ids
	}
	var err error
	if r.before == nil {
		err = r.create(fields)
	} else if err = r.forms.Check(fields); err == nil {
		err = r.merge(fields)
	}
	if err == nil {
		err = r.next.checkBounds()
	}
	if err == nil && named {
		err = r.checkNames()
	}
	if p, is := problem.As(err); is {
		r.fault, err = p, nil
		prices.Name(p.Errors)
		paths.Name(p.Errors)
	}
	return err
}

// fields are the body with SetPrices among the prices that there are, and all of these; without SetPrices none.
func (r *row) fields() (fields map[string]any, prices SetPrices) {
	set, some := r.Fields["priceLevels"].(SetPrices)
	if !some {
		return r.Fields, nil
	}
	if r.before != nil {
		prices = set.Over(r.before.details.PriceLevels)
	} else {
		prices = set.Over(nil)
	}
	fields = maps.Clone(r.Fields)
	fields["priceLevels"] = prices.Body()
	return fields, prices
}

// create is a new product of the row.
func (r *row) create(fields map[string]any) error {
	body, err := r.forms.Product.New(fields)
	if err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return err
	}
	r.next = body.whole(r.unit)
	return nil
}

// merge is the product there is with the row merged in, its variants by their codes.
func (r *row) merge(fields map[string]any) error {
	own := maps.Clone(fields)
	delete(own, "variants")
	d, err := applyPatch(patchOf(own, r.forms.Fields), r.before.Details())
	if err != nil {
		return err
	}
	r.next = r.before.clone()
	r.next.setDetails(d)
	variants, _ := fields["variants"].([]any)
	return r.mergeVariants(variants)
}

// mergeVariants changes the variants whose codes the product has, and adds the others.
func (r *row) mergeVariants(sent []any) error {
	there := map[string]Variant{}
	for _, v := range r.before.Variants() {
		there[string(v.Code)] = v
	}
	var faults problem.Faults
	twice(&faults, "variants", "code", sent, codeIn)
	var added []VariantFields
	for i, one := range sent {
		fields, _ := one.(map[string]any)
		variant, has := there[codeIn(fields)]
		if !has {
			variant.Defaults()
		}
		details, err := applyVariantPatch(patchOf(fields, r.forms.Variant), variant.VariantDetails)
		switch p, is := problem.As(err); {
		case is:
			faults = append(faults, within(p, at("variants", i, ""))...)
		case err != nil:
			return err
		case has:
			r.next.setVariant(Variant{ID: variant.ID, VariantDetails: details})
		default:
			added = append(added, VariantFields{details})
		}
	}
	if err := faults.Err(); err != nil {
		return err
	}
	if len(added) > 0 {
		r.next.addVariants(newVariants(r.unit, added))
	}
	return nil
}

// patchOf is the patch that fields of a row are.
func patchOf[F any](fields map[string]any, form record.Form[F]) Patch[F] {
	return Patch[F]{
		Merge: func(current F) (F, error) { return form.Patch(fields, current) },
		Sent:  func(field string) (any, bool) { v, sent := fields[field]; return v, sent },
	}
}

func codeIn(variant any) string {
	fields, _ := variant.(map[string]any)
	code, _ := fields["code"].(string)
	return strings.TrimSpace(code)
}

// within are the faults of a value in the body, at their locations in the whole of it.
func within(p *problem.Problem, where string) []problem.Fault {
	faults := slices.Clone(p.Errors)
	for i := range faults {
		faults[i].Location = "body." + where + strings.TrimPrefix(faults[i].Location, "body")
	}
	return faults
}

// inCategories notes the faults of rows that join categories which are not there. Names may have led to one that was
// deleted since the categories were read: such rows are validated anew, once, with those that there are now.
func (s *rows) inCategories(ctx context.Context, own []*row) error {
	late, err := s.lacking(ctx, own)
	if err != nil || len(late) == 0 {
		return err
	}
	if err := s.tree.readAnew(ctx, s.unit); err != nil {
		return err
	}
	for _, r := range late {
		clear(r.missing)
		r.fault = nil
		if err := r.validate(ctx); err != nil {
			return err
		}
	}
	_, err = s.lacking(ctx, late)
	return err
}

// lacking notes the faults of rows that join categories which are not there, and returns those that name them.
func (s *rows) lacking(ctx context.Context, own []*row) (named []*row, err error) {
	var sound []*row
	var before, next []*Whole
	for _, r := range own {
		if r.fault == nil {
			sound, before, next = append(sound, r), append(before, r.before), append(next, r.found())
		}
	}
	missing, err := missingCategories(ctx, s.unit, before, next)
	for i, f := range missing {
		paths, names := sound[i].Fields["categoryIds"].(CategoryPaths)
		paths.Name(f)
		if sound[i].fault = f.Err(); sound[i].fault != nil && names {
			named = append(named, sound[i])
		}
	}
	return named, err
}

// Plan is all operations on the product's items, names and addresses.
func (r *row) Plan(ctx context.Context) ([]store.Op, []events.Record, error) {
	if r.fault != nil {
		return nil, nil, r.fault
	}
	if err := r.makeCategories(ctx); err != nil {
		return nil, nil, err
	}
	before, next := cmp.Or(r.before, newWhole(r.next.ID)), r.next.clone()
	return plan(ctx, r.unit, &before.known, &next.known, r.names)
}

// Resolve reads anew what the row is about: another request may have made its product meanwhile, or changed it. All
// rows before it are written now, so that the next plan looks up who has the names that the row claims.
func (r *row) Resolve(ctx context.Context, _ *store.ConditionError) error {
	_, err := r.read(ctx, r)
	r.names.Unasked = false
	return err
}
