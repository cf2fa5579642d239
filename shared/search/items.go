package search

import (
	"strings"
	"unicode/utf8"

	"eshop/shared/base/words"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// partition is the partition with the rows of words that begin with the letter, of a shop's records of the kind. A word
// has its letter's partition, so that not all words of an import are written to one.
func (k *Searchable) partition(shop, word string) string {
	letter, _ := utf8.DecodeRuneInString(word)
	return "S#" + shop + "#WORDS#" + k.letter + "#" + string(letter)
}

// allProductsList is the list that has all products. No category has an empty id.
const allProductsList = ""

// listKey is the row of a product in the list of a category, or of all. In its partition the newest products come
// first.
func (k *Searchable) listKey(shop, list, id string) store.Key {
	return store.Key{PK: k.list(shop, list), SK: "#" + inverted(id)}
}

// list is the partition with the rows of a list.
func (k *Searchable) list(shop, list string) string {
	return "S#" + shop + "#IN#" + k.letter + "#" + list
}

// wordKey is the row of a record's word. In the partition the rows of a word come newest record first.
func (k *Searchable) wordKey(shop, word, id string) store.Key {
	return store.Key{PK: k.partition(shop, word), SK: word + "#" + inverted(id)}
}

// idIn is the id of the record whose row has the sort key.
func idIn(sk string) string { return inverted(sk[strings.LastIndexByte(sk, '#')+1:]) }

// digits are those of identifiers, in their order.
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// inverted is the id with each digit counted from the other end, so that newer ones come first. Inverted once more it
// is the id.
func inverted(id string) string {
	b := []byte(id)
	for i, c := range b {
		if n := strings.IndexByte(digits, c); n >= 0 {
			b[i] = digits[len(digits)-1-n]
		}
	}
	return string(b)
}

// maxBeside is how many bytes of a record's words each of its rows holds. Words beyond that, as the codes of hundreds
// of variants, are found alone, and not together with others.
const maxBeside = 1_000

// document is what an entry holds of its record: all words, and in which lists it is. A row holds those of the words
// that fit, a row of a list none.
type document struct {
	Words []string `json:"w,omitempty"`
	Own   int      `json:"n,omitempty"` // so many of the words, from the first on, are the record's own: see Hit.Rank
	Lists []string `json:"l,omitempty"`
	*Offer
}

// documentIn reads an entry or a row. Of an index that was made before rows held offers, these are words and nothing
// else: Rebuild makes it anew.
func documentIn(item *store.Item) (d document, err error) {
	if len(item.Doc) > 0 && item.Doc[0] == '[' {
		err = item.Into(&d.Words)
	} else {
		err = item.Into(&d)
	}
	return d, err
}

// rows are all that the index has of a record beside its entry.
func (k *Searchable) rows(shop, id string, d document) (rows []store.Item) {
	held := record.Document(document{Words: beside(d.Words), Own: d.Own, Offer: d.Offer})
	for _, w := range d.Words {
		rows = append(rows, store.Item{Key: k.wordKey(shop, w, id), Doc: held})
	}
	held = record.Document(document{Offer: d.Offer})
	for _, list := range d.Lists {
		rows = append(rows, store.Item{Key: k.listKey(shop, list, id), Doc: held})
	}
	return rows
}

// beside are the words of a record that each of its rows holds.
func beside(all []string) []string {
	bytes := 0
	for n, w := range all {
		if bytes += len(w) + len(`"",`); bytes > maxBeside {
			return all[:n]
		}
	}
	return all
}

// entryKey is the record's entry: what the index has of it.
func (k *Searchable) entryKey(shop, id string) store.Key {
	return store.Key{PK: "S#" + shop + "#ENTRY#" + k.letter + "#" + id, SK: "A"}
}

// recordIn is the id of the record whose entry has the key.
func recordIn(entry store.Key) string { return entry.PK[strings.LastIndexByte(entry.PK, '#')+1:] }

// under is the partition of Index1 with the entries of records of the kind that are narrowed to a value, by (changed,
// id).
func (k *Searchable) under(shop, value string) string {
	return "S#" + shop + "#ENTRY#" + k.letter + "#" + value
}

// byName is the partition of Index1 with the entries of a kind's records by their names. No value by which lists are
// narrowed is empty.
func (k *Searchable) byName(shop string) string { return k.under(shop, "") }

// sortKeyOf is the place of a record in the list by name: its sort key there. Of two names that only differ by more
// letters the shorter one comes first.
func sortKeyOf(name, id string) string { return words.Order(name) + " #" + id }

// entry is what the index has of the record. It stands in one list at most: by changes under a value, or by name.
func (k *Searchable) entry(shop, id string, s state) store.Item {
	item := store.Item{Key: k.entryKey(shop, id), Version: s.version, Doc: record.Document(s.document)}
	switch {
	case s.under != "":
		item.Index1 = record.IndexKey(k.under(shop, s.under), s.version, id)
	case s.sortKey != "":
		item.Index1 = store.Key{PK: k.byName(shop), SK: s.sortKey}
	}
	return item
}
