package catalog

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"eshop/shared/base/each"
	"eshop/shared/base/problem"
	"eshop/shared/base/slug"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// CategoryPaths are categories by their names, each from the top of the tree down: Kitchen > Mugs. They may stand under
// categoryIds in a row of an import, which makes those that are not there.
type CategoryPaths [][]string

// The signs of a cell of paths: between paths, between the names of one, and before such a sign that is part of a name.
const (
	betweenPaths = '|'
	betweenNames = '>'
	isOfName     = '\\'
)

// signs are those of a cell of paths.
const signs = `|>\`

// ParseCategoryPaths reads a cell of paths, none of a blank one. It looks at one more than most: so many are refused
// for their number.
func ParseCategoryPaths(cell string, most int) (paths CategoryPaths) {
	if strings.TrimSpace(cell) == "" {
		return nil
	}
	var path []string
	var name strings.Builder
	endName := func() { path = append(path, strings.TrimSpace(name.String())); name.Reset() }
	endPath := func() { endName(); paths = append(paths, path); path = nil }
	for i := 0; i < len(cell) && len(paths) <= most; i++ {
		switch sign := cell[i]; {
		case sign == isOfName && i+1 < len(cell) && strings.IndexByte(signs, cell[i+1]) >= 0:
			i++
			name.WriteByte(cell[i])
		case sign == betweenNames:
			endName()
		case sign == betweenPaths:
			endPath()
		default:
			name.WriteByte(sign)
		}
	}
	if len(paths) <= most {
		endPath()
	}
	return paths
}

// CategoryPath is a path as a cell has it.
func CategoryPath(names []string) string {
	return strings.Join(each.Of(names, guarded.Replace), " "+string(betweenNames)+" ")
}

// CategoriesCell is the cell with paths that are written.
func CategoriesCell(paths []string) string { return strings.Join(paths, string(betweenPaths)) }

// String is the cell that has the paths.
func (s CategoryPaths) String() string {
	return CategoriesCell(each.Of(s, CategoryPath))
}

var guarded = strings.NewReplacer(`|`, `\|`, `>`, `\>`, `\`, `\\`)

// CategoryNames are the paths of all categories of a shop, as cells have them, by the categories' ids.
func CategoryNames(ctx context.Context, t store.Table, shop string) (map[string]string, error) {
	all, err := readCategories(ctx, t, shop)
	if err != nil {
		return nil, err
	}
	by := make(map[string]StoredCategory, len(all))
	for _, k := range all {
		by[k.ID] = k
	}
	names := make(map[string]string, len(all))
	for _, k := range all {
		path := []string{string(k.Name)}
		for up, has := by[k.Parent]; has && len(path) <= maxDepth; up, has = by[up.Parent] {
			path = append(path, string(up.Name))
		}
		slices.Reverse(path)
		names[k.ID] = CategoryPath(path)
	}
	return names, nil
}

// readCategories reads all categories of a shop, oldest first.
func readCategories(ctx context.Context, t store.Table, shop string) (all []StoredCategory, err error) {
	load := record.Load(t, func(item *store.Item) (StoredCategory, time.Time, bool, error) {
		return Categories.Show(item)
	})
	for asked := (record.Asked{Limit: 250}); ; {
		page, next, err := record.Page(ctx, Categories.Listing(t, shop), asked, load)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if asked.After = next; next == "" {
			break
		}
	}
	slices.SortFunc(all, func(a, b StoredCategory) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// tree is the categories of a shop by their places, as an import knows them: those that there were when a row first
// named one, and those that it has made since. Rows are read beside others that are planned.
type tree struct {
	mu    sync.Mutex
	named map[place][]StoredCategory // nil: nothing is read yet
}

// place is where the names of categories are alike: without case and accents, below one parent, "" of those at the top.
type place struct{ parent, name string }

// readOnce reads the categories unless they are read.
func (t *tree) readOnce(ctx context.Context, u *change.Unit) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.named != nil {
		return nil
	}
	return t.read(ctx, u)
}

// readAnew reads them once more: somebody may have deleted one since.
func (t *tree) readAnew(ctx context.Context, u *change.Unit) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.read(ctx, u)
}

func (t *tree) read(ctx context.Context, u *change.Unit) error {
	all, err := readCategories(ctx, u.Table, u.Shop)
	if err != nil {
		return err
	}
	t.named = map[place][]StoredCategory{}
	for _, k := range all {
		t.put(k)
	}
	return nil
}

// add adds a category that was made.
func (t *tree) add(k StoredCategory) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.put(k)
}

func (t *tree) put(k StoredCategory) {
	at := place{k.Parent, slug.Fold(string(k.Name))}
	t.named[at] = append(t.named[at], k)
}

// find walks down a path: at is the category of its first n names, "" of none. Names are compared without case and
// accents. Where several categories have a path, one of own comes first, which is where the product is, then one
// spelled exactly so, then the oldest.
func (t *tree) find(path, own []string) (at string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	level := []string{""}
	for ; n < len(path); n++ {
		var exact, alike []string
		folded := slug.Fold(path[n])
		for _, parent := range level {
			for _, k := range t.named[place{parent, folded}] {
				if string(k.Name) == path[n] {
					exact = append(exact, k.ID)
				} else {
					alike = append(alike, k.ID)
				}
			}
		}
		if len(exact)+len(alike) == 0 {
			return level[0], n
		}
		level = append(exact, alike...)
	}
	if i := slices.IndexFunc(level, func(id string) bool { return slices.Contains(own, id) }); i >= 0 {
		return level[i], n
	}
	return level[0], n
}

// locate finds the categories of the row's paths. Something else stands for each that is missing: those are made when
// the row is planned, because by then all else of it is in order.
func (r *row) locate(ctx context.Context, paths CategoryPaths) (ids []any, err error) {
	if err := r.tree.readOnce(ctx, r.unit); err != nil {
		return nil, err
	}
	var own []string
	if r.before != nil {
		own = slices.Clone(r.before.details.CategoryIDs)
	}
	for i, path := range paths {
		id, n := r.tree.find(path, own)
		if n < len(path) {
			id = strconv.Itoa(i)
			r.missing[id] = path
		}
		// Two categories of one path, in both of which the product is, are named twice.
		own = slices.DeleteFunc(own, func(o string) bool { return o == id })
		if !slices.Contains(ids, any(id)) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// checkNames refuses names of missing categories by the rules that a category's name has.
func (r *row) checkNames() error {
	for _, path := range r.missing {
		if len(path) > maxDepth+1 {
			return problem.InvalidAt("category", problem.TooMany,
				fmt.Sprintf("would put a category below more than %d others", maxDepth))
		}
		for _, name := range path {
			if name == "" {
				return problem.InvalidAt("category", problem.BadFormat, "must have a name on both sides of > and |")
			}
			if _, err := r.forms.Category.New(map[string]any{"name": name}); err != nil {
				return atPath(err)
			}
		}
	}
	return nil
}

// found is the product of the row without its missing categories.
func (r *row) found() *Whole {
	if len(r.missing) == 0 {
		return r.next
	}
	w, d := r.next.clone(), r.next.Details()
	d.CategoryIDs = slices.DeleteFunc(slices.Clone(d.CategoryIDs), func(id string) bool { return r.missing[id] != nil })
	w.setDetails(d)
	return w
}

// makeCategories makes the row's missing categories, each in a transaction of its own before the row's. A row whose own
// transaction fails finds them when it is planned anew.
func (r *row) makeCategories(ctx context.Context) error {
	if len(r.missing) == 0 {
		return nil
	}
	details := r.next.Details()
	var ids []string
	for _, id := range details.CategoryIDs {
		if path := r.missing[id]; path != nil {
			var err error
			if id, err = r.makePath(ctx, path); err != nil {
				return atPath(err)
			}
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	details.CategoryIDs = ids
	r.next.setDetails(details)
	clear(r.missing)
	return nil
}

// makePath makes what is missing of a path, and is the id of its category. One above it may have been deleted since
// the categories were read: then it is made below those that there are now.
func (r *row) makePath(ctx context.Context, path []string) (string, error) {
	id, err := r.makeBelow(ctx, path)
	if p, is := problem.As(err); is && len(p.Errors) > 0 && p.Errors[0].Code == problem.Unknown {
		if err := r.tree.readAnew(ctx, r.unit); err != nil {
			return "", err
		}
		return r.makeBelow(ctx, path)
	}
	return id, err
}

// makeBelow makes what is missing of a path below the categories that are known.
func (r *row) makeBelow(ctx context.Context, path []string) (string, error) {
	at, n := r.tree.find(path, nil)
	for _, name := range path[n:] {
		k, err := r.catalog.createCategory(ctx, r.unit, CategoryFields{Name: field.Name(name), Parent: at},
			theSame)
		if err != nil {
			return "", err
		}
		r.tree.add(k)
		at = k.ID
	}
	return at, nil
}

// atPath is a fault of a category as one of the cell that names it.
func atPath(err error) error {
	if p, is := problem.As(err); is && len(p.Errors) > 0 {
		return problem.InvalidAt("category", p.Errors[0].Code, p.Errors[0].Message)
	}
	return err
}

// Name locates faults of categories where a file has their names: at the column category.
func (s CategoryPaths) Name(faults []problem.Fault) {
	for i := range faults {
		if s != nil && strings.HasPrefix(faults[i].Location, "body.categoryIds") {
			faults[i].Location = "body.category"
		}
	}
}

// same is a category that has these fields, among the owners of the addresses that its name could have; nil: there is
// none. Whoever makes the same category at the same moment has one of them, so it is found without a look at all
// categories, which an index may show late.
func same(ctx context.Context, u *change.Unit, names *address.Names, fields CategoryFields) (*StoredCategory, error) {
	var keys []store.Key
	for _, owner := range names.Met() {
		if owner.Kind == address.Category {
			keys = append(keys, CategoryKey(u.Shop, owner.Item))
		}
	}
	items, err := store.GetAll(ctx, u.Table, keys)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if record.Missing(item) {
			continue
		}
		k, err := Categories.Decode(item)
		if err != nil {
			return nil, err
		}
		if k.Parent == fields.Parent && slug.Fold(string(k.Name)) == slug.Fold(string(fields.Name)) {
			return &k, nil
		}
	}
	return nil, nil
}
