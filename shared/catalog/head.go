package catalog

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
)

// Head is a product as its head holds it: everything but its variants' own fields, and texts that are too long for a
// head. It shows what every head has: who needs details, texts or variants reads the Whole.
type Head struct {
	ID          string
	Version     string
	Created     field.Time
	Address     address.Address
	details     ProductDetails   // without stock and texts
	stock       map[string]Stock // by variant; "" the product's own
	texts       *texts           // nil: they are in the text item, which was not read
	textVersion string           // the version of the text item; "" while the head holds the texts
	textSize    int              // bytes of the text item; 0 while the head holds the texts
	partRefs    []partRef        // the parts with the variants, in their order
	item        *store.Item      // as it was read
}

// texts are a product's, in its head or in a text item.
type texts struct {
	Short field.Text `json:"shortDescription,omitempty"`
	Long  field.Text `json:"description,omitempty"`
}

// Texts above this many bytes are an item of their own, so that stock edits and lists of heads do not carry them.
const textBytes = 8 << 10

// document is what a head's item holds as JSON.
type document struct {
	ProductDetails
	Created field.Time `json:"created"`
	Parts   []partRef  `json:"parts,omitempty"`
	Text    string     `json:"text,omitempty"`

	TextSize int `json:"textSize,omitempty"`
}

// HeadOf reads the item of a product's head; nil when there is none or it was deleted.
func HeadOf(item *store.Item) (*Head, error) {
	if record.Missing(item) {
		return nil, nil
	}
	h := &Head{}
	return h, h.read(item)
}

// read makes the head that of an item.
func (h *Head) read(item *store.Item) error {
	var d document
	if err := item.Into(&d); err != nil {
		return err
	}
	d.fill()
	*h = Head{ID: idIn(item.PK), Version: item.Version, Created: d.Created, Address: address.Decode(item),
		stock: stockIn(item), textVersion: d.Text, textSize: d.TextSize, partRefs: d.Parts, item: item}
	if h.setOwn(d.ProductDetails); h.textVersion != "" {
		h.texts = nil
	}
	return nil
}

// stockIn reads all stock of a head.
func stockIn(head *store.Item) map[string]Stock {
	all := make(map[string]Stock, len(head.Num))
	for name, n := range head.Num {
		if name != "q" && !strings.HasPrefix(name, "q.") {
			continue
		}
		variant := strings.TrimPrefix(strings.TrimPrefix(name, "q"), ".")
		all[variant] = Stock{Quantity: n, Availability: field.Line(head.Text[availabilityOf(variant)])}
	}
	return all
}

// stored is the head as it is stored.
func (h *Head) stored(shop string) store.Item {
	d := document{ProductDetails: h.details, Created: h.Created, Parts: h.partRefs, Text: h.textVersion,
		TextSize: h.textSize}
	if h.textVersion == "" {
		d.ShortDescription, d.Description = h.texts.Short, h.texts.Long
	}
	text, num := h.Address.Texts(), make(map[string]int64, len(h.stock))
	size := h.besideSize()
	for variant, s := range h.stock {
		size += 40 + len(s.Availability) // about that many bytes beside the document, and in an answer
		num[quantityOf(variant)] = s.Quantity
		if s.Availability != "" {
			text[availabilityOf(variant)] = string(s.Availability)
		}
	}
	doc := record.Document(d)
	return store.Item{Key: ProductKey(shop, h.ID), Version: h.Version, Doc: doc, Text: text, Num: num,
		Index1: record.IndexKey(shardOf(shop, h.ID), h.Version, h.ID),
		Parts:  record.Extent(h.itemsBeside(), len(doc)+size)}
}

// Code is the product's own.
func (h *Head) Code() field.Code { return h.details.Code }

// Name is the product's.
func (h *Head) Name() field.Name { return h.details.Name }

// Active says whether the product is shown and sold.
func (h *Head) Active() bool { return h.details.Active }

// VATRate is the product's.
func (h *Head) VATRate() field.Rate { return h.details.VATRate }

// FirstImage is ProductDetails.FirstImage.
func (h *Head) FirstImage() Image { return h.details.FirstImage() }

// PriceOf is the price of a variant of the product, of the product itself for the zero one, at a level.
func (h *Head) PriceOf(v Variant, level string) field.Money {
	return PriceOf(h.details, v.VariantDetails, level)
}

// setOwn replaces the product's own details, but for its stock.
func (h *Head) setOwn(d ProductDetails) {
	h.texts = &texts{d.ShortDescription, d.Description}
	d.Stock, d.ShortDescription, d.Description = Stock{}, "", ""
	h.details = d
}

// clone is a copy to be changed.
func (h *Head) clone() *Head {
	c := *h
	c.stock, c.partRefs = maps.Clone(h.stock), slices.Clone(h.partRefs)
	return &c
}

// Has says whether the product has the variant.
func (h *Head) Has(variant string) bool {
	_, has := h.stock[variant]
	return has && variant != ""
}

// VariantIDs are the ids of the product's variants, in their order.
func (h *Head) VariantIDs() []string {
	var ids []string
	for _, p := range h.partRefs {
		ids = append(ids, p.IDs...)
	}
	return ids
}

// PartOf is the number of the part that the variant is in; -1: it is in none.
func (h *Head) PartOf(variant string) int {
	if h == nil {
		return -1
	}
	return slices.IndexFunc(h.partRefs, func(e partRef) bool { return slices.Contains(e.IDs, variant) })
}

// itemsBeside says which items lie beside the head: the number of its parts, doubled, and one more when there is a text
// item. It is the catalog's own of the head's record.Extent, so that who reads a page of products knows which keys to
// get: see KeysOf.
func (h *Head) itemsBeside() int {
	n := len(h.partRefs) << 1
	if h.textVersion != "" {
		n++
	}
	return n
}

// besideSize is how many bytes the items beside the head take; of nil none.
func (h *Head) besideSize() int {
	if h == nil {
		return 0
	}
	n := h.textSize
	for _, e := range h.partRefs {
		n += cmp.Or(e.Size, partBytes)
	}
	return n
}

// atOnce is how many bytes of products are read together at most, one product at least: what is made of them is small
// beside that.
const atOnce = 4 << 20

// together is how many of the heads (nil ones count nothing), from the first on, are read together: what lies beside
// them takes atOnce bytes at most.
func together(heads []*Head) (n int) {
	for size := 0; n < len(heads); n++ {
		if size += heads[n].besideSize(); size > atOnce && n > 0 {
			break
		}
	}
	return n
}

// portions are the heads in groups that are read together, in their order. from is the index of a group's first head.
func portions(heads []*Head) iter.Seq2[int, []*Head] {
	return func(yield func(from int, some []*Head) bool) {
		for from := 0; from < len(heads); {
			n := together(heads[from:])
			if !yield(from, heads[from:from+n]) {
				return
			}
			from += n
		}
	}
}

// beside are the keys of the items beside the head.
func (h *Head) beside() []store.Key {
	return KeysOf(store.Item{Key: h.item.Key, Parts: h.itemsBeside()})[1:]
}

// key is the key of an item of the product.
func (h *Head) key(sk string) store.Key { return store.Key{PK: h.item.PK, SK: sk} }
