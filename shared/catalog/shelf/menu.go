package shelf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"eshop/shared/base/each"
	"eshop/shared/catalog"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// maxMenu is how many categories a menu has. A shop's others have their pages, and stand in no menu.
const maxMenu = 1_000

// Menu is a shop's tree of categories, as every page of its storefront shows it.
type Menu struct {
	Roots   []*MenuEntry // oldest first, as the children of each
	Version string       // another one whenever something of the menu is another
	by      map[string]*MenuEntry
	rows    []string // the sort keys of the index that it was read by: they tell of every change
}

// MenuEntry is a category in the menu.
type MenuEntry struct {
	ID, Name, Slug string     // Slug is that of its active URL
	Changed        string     // its version
	Parent         *MenuEntry // nil: it is a root
	Children       []*MenuEntry
	parent         string
}

// Path leads from a root down to the entry. It is bounded: categories that were read while they were moved may form a
// circle.
func (p *MenuEntry) Path() (path []*MenuEntry) {
	for at := p; at != nil && len(path) < maxMenu; at = at.Parent {
		path = append(path, at)
	}
	slices.Reverse(path)
	return path
}

// Below are the ids of the entry and of all below it. They are bounded as Path is.
func (p *MenuEntry) Below() []string {
	all := []*MenuEntry{p}
	for n := 0; n < len(all) && len(all) < maxMenu; n++ {
		all = append(all, all[n].Children...)
	}
	return each.Of(all, func(entry *MenuEntry) string { return entry.ID })
}

// Entry is that of the category of an id, nil when the menu has none.
func (m *Menu) Entry(category string) *MenuEntry { return m.by[category] }

// All are all categories of the menu, oldest first.
func (m *Menu) All() []*MenuEntry {
	all := make([]*MenuEntry, 0, len(m.by))
	for _, p := range m.by {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *MenuEntry) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// Menu is the shop's menu: as it is, but for the shelf's memory and the index's delay.
func (s *Shelf) Menu(ctx context.Context, shop string) (*Menu, error) {
	return s.menus.Get(ctx, shop, func(ctx context.Context) (*Menu, error) { return s.readMenu(ctx, shop) })
}

// readMenu reads the rows of the index, and the categories unless the rows are those of the menu that was read last:
// each category made, changed or deleted moves a row.
func (s *Shelf) readMenu(ctx context.Context, shop string) (*Menu, error) {
	page, err := s.table.Query(ctx, store.Query{Index: store.Index1, PK: catalog.CategoriesOf(shop), Limit: maxMenu})
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

// versionOf is a short hash of the rows.
func versionOf(rows []string) string {
	h := sha256.New()
	for _, row := range rows {
		_, _ = h.Write([]byte(row))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// grow makes the tree of the categories' items. One whose parent is not among them is a root.
func (m *Menu) grow(ctx context.Context, items []*store.Item) {
	m.by = make(map[string]*MenuEntry, len(items))
	for _, item := range items {
		if record.Missing(item) {
			continue
		}
		p, err := menuEntryOf(item)
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

func menuEntryOf(item *store.Item) (*MenuEntry, error) {
	k, err := catalog.Categories.Decode(item)
	return &MenuEntry{ID: k.ID, Name: string(k.Name), Slug: k.Address.Active, Changed: k.Version, parent: k.Parent}, err
}

// At is the entry of the category that has the slug; nil when the category is gone. Where its Slug is another one,
// that is its active URL as of now, and the slug's leads there: whoever is sent on must not be sent back by a menu that
// is a little older.
func (s *Shelf) At(ctx context.Context, shop, category, slug string) (*MenuEntry, error) {
	m, err := s.Menu(ctx, shop)
	if err != nil {
		return nil, err
	}
	known := m.Entry(category)
	if known != nil && known.Slug == slug {
		return known, nil
	}
	items, err := s.table.Get(ctx, catalog.CategoryKey(shop, category))
	if err != nil || record.Missing(items[0]) {
		return nil, err
	}
	p, err := menuEntryOf(items[0])
	if err != nil {
		return nil, err
	}
	p.Parent = m.Entry(p.parent)
	if known != nil {
		p.Children = known.Children
	}
	return p, nil
}
