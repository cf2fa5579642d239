package catalog

import (
	"fmt"

	"eshop/shared/base/problem"
	"eshop/shared/record"
)

// The most bytes of a product. Its head must leave room for the change that its item carries (an item has 350 KB at
// most then), and all of it must go through one transaction (DynamoDB: 4 MB).
const (
	maxHead  = 300 << 10
	maxWhole = 2 << 20
)

// checkBounds finds what is wrong with a product as a whole, as far as it was read: a code that is there twice, too
// many variants, too many bytes.
func (k *known) checkBounds() error {
	seen := map[string]bool{}
	for _, code := range k.codes() {
		if seen[code] {
			return CodeTaken(code)
		}
		seen[code] = true
	}
	if n := len(k.stock) - 1; n > MaxVariants {
		return problem.InvalidAt("", problem.TooMany, "would give the product more than 500 variants")
	}
	if f := k.tooBig(); f != nil {
		return problem.Invalid(*f)
	}
	return nil
}

// codes are those that the product and its variants claim, as far as they were read.
func (k *known) codes() []string {
	all := []string{string(k.details.Code)}
	for _, p := range k.parts {
		for _, v := range p.variants {
			all = append(all, string(v.Code))
		}
	}
	return all
}

// tooBig is the fault of a product that would be larger than the platform stores; nil when it is not. What it counts of
// a head beside the document (40 bytes for a quantity, 30 for an id) is more than it is.
func (k *known) tooBig() *problem.Fault {
	head, beside := 0, 0
	for _, s := range k.stock {
		if head += 40; s.Availability != "" {
			head += 30 + len(s.Availability)
		}
	}
	for _, p := range k.partRefs {
		head += 30*len(p.IDs) + 40
	}
	for _, p := range k.parts {
		beside += len(p.doc)
	}
	doc := k.details
	if t := k.texts; t != nil && t.bytes() <= textBytes {
		doc.ShortDescription, doc.Description = t.Short, t.Long
	}
	if head+doc.mostBytes() > maxHead {
		head += len(record.Document(doc))
	}
	if head <= maxHead && beside <= maxWhole {
		return nil
	}
	return &problem.Fault{Location: "body", Code: problem.TooBig, Message: fmt.Sprintf(
		"would make the product larger than %d KiB without its variants, or them than %d KiB", maxHead>>10,
		maxWhole>>10)}
}
