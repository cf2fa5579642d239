package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"eshop/shared/record"
	"eshop/shared/store"
)

// maxMenu is how many categories a menu has. A shop's others have their pages, and stand in no menu.
const maxMenu = 1_000

// Menu is a shop's tree of categories, as every page of its storefront shows it.
type Menu struct {
	Roots   []*Place // oldest first, as the children of each
	Version string   // another one whenever something of the menu is another
	by      map[string]*Place
	rows    []string // the sort keys of the index that it was read by: they tell of every change
}

// Place is a category in the menu.
type Place struct {
	ID, Name, Slug string // Slug is that of its active URL
	Changed        string // its version
	Parent         *Place // nil: it is a root
	Children       []*Place
	parent         string
}

// Path leads from a root down to the place.
func (p *Place) Path() (path []*Place) {
	for at := p; at != nil && len(path) < maxMenu; at = at.Parent {
		path = append(path, at)
	}
	slices.Reverse(path)
	return path
}

// Place is the category of the id, nil when it is not in the menu.
func (m *Menu) Place(category string) *Place { return m.by[category] }

// All are all categories of the menu, oldest first.
func (m *Menu) All() []*Place {
	all := make([]*Place, 0, len(m.by))
	for _, p := range m.by {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Place) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// Menu is the shop's menu: as it is, but for the shelf's memory and the index's delay.
func (s *Shelf) Menu(ctx context.Context, shop string) (*Menu, error) {
	return s.menus.Get(ctx, shop, func(ctx context.Context) (*Menu, error) { return s.readMenu(ctx, shop) })
}

// readMenu reads the rows of the index, and the categories unless the rows are those of the menu that was read last:
// each category made, changed or deleted moves a row.
func (s *Shelf) readMenu(ctx context.Context, shop string) (*Menu, error) {
	page, err := s.table.Query(ctx, store.Query{Index: store.Index1, PK: CategoriesOf(shop), Limit: maxMenu})
	if err != nil {
		return nil, err
	}
	last, has := s.lastMenus.Get(shop)
	same := func(row store.Item, sk string) bool { return row.Index1.SK == sk }
	if has && slices.EqualFunc(page.Items, last.rows, same) {
		return last, nil
	}
	m := &Menu{}
	keys := make([]store.Key, len(page.Items))
	for i, row := range page.Items {
		keys[i], m.rows = row.Key, append(m.rows, row.Index1.SK)
	}
	m.Version = versionOf(m.rows)
	items, err := store.GetReadable(ctx, s.table, keys)
	if err != nil {
		return nil, err
	}
	m.grow(ctx, items)
	s.lastMenus.Set(shop, m)
	return m, nil
}

// versionOf is short for the rows.
func versionOf(rows []string) string {
	h := sha256.New()
	for _, row := range rows {
		_, _ = h.Write([]byte(row))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// grow makes the tree of the categories' items. One whose parent is not among them is a root.
func (m *Menu) grow(ctx context.Context, items []*store.Item) {
	m.by = make(map[string]*Place, len(items))
	for _, item := range items {
		if record.Missing(item) {
			continue
		}
		p, err := placeOf(item)
		if err != nil {
			record.LogUnreadable(ctx, item.Key, err)
			continue
		}
		m.by[p.ID] = p
	}
	for _, p := range m.All() {
		if p.Parent = m.by[p.parent]; p.Parent == nil {
			m.Roots = append(m.Roots, p)
		} else {
			p.Parent.Children = append(p.Parent.Children, p)
		}
	}
}

func placeOf(item *store.Item) (*Place, error) {
	k, err := Categories.Decode(item)
	return &Place{ID: k.ID, Name: string(k.Name), Slug: k.Address.Active, Changed: k.Version, parent: k.Parent}, err
}

// At is the category that has the slug, in its place in the menu; nil when it is gone. Where its Slug is another one,
// that is its active URL as of now, and the slug's leads there: whoever is sent on must not be sent back by a menu that
// is a little older.
func (s *Shelf) At(ctx context.Context, shop, category, slug string) (*Place, error) {
	m, err := s.Menu(ctx, shop)
	if err != nil {
		return nil, err
	}
	known := m.Place(category)
	if known != nil && known.Slug == slug {
		return known, nil
	}
	items, err := s.table.Get(ctx, CategoryKey(shop, category))
	if err != nil || record.Missing(items[0]) {
		return nil, err
	}
	p, err := placeOf(items[0])
	if err != nil {
		return nil, err
	}
	p.Parent = m.Place(p.parent)
	if known != nil {
		p.Children = known.Children
	}
	return p, nil
}
