package dynamo

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"eshop/shared/ports/store"
)

// The attributes of an item. Those are exported that whoever makes the table or filters its stream must know. Texts and
// numbers are attributes of their own, with a prefix before their names, so that conditions can compare them and ADD
// can add to them.
const (
	attrPK      = "pk"
	attrSK      = "sk"
	attrVersion = "v"
	attrDoc     = "doc"
	AttrExpires = "ttl"
	AttrParts   = "parts"
	attrIndex1P = "g1p"
	attrIndex1S = "g1s"
	attrIndex2P = "g2p"
	attrIndex2S = "g2s"
	AttrChange  = "ch" // the change that rides; readers of the stream take the records whose new image has it
	// means nothing; an update that sets nothing else sets it, for one that sets nothing makes no item
	attrMade   = "_"
	prefixText = "t."
	prefixNum  = "n."
)

// NotingNames are the attributes that an update names which sets nothing but a number, and tells of no change.
func NotingNames(number string) []string {
	return []string{attrPK, attrSK, AttrChange, prefixNum + number}
}

// attributes are an item as the SDK has it.
type attributes = map[string]types.AttributeValue

func stringValue(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func numberValue(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// docValue is a string, which people and filters can read, or the bytes when they are not UTF-8.
func docValue(doc []byte) types.AttributeValue {
	if utf8.Valid(doc) {
		return stringValue(string(doc))
	}
	return &types.AttributeValueMemberB{Value: doc}
}

// keyAttributes are the attributes of an item's key.
func keyAttributes(k store.Key) attributes {
	return attributes{attrPK: stringValue(k.PK), attrSK: stringValue(k.SK)}
}

// KeyNames are the attributes of the keys of the table or of an index, all strings.
func KeyNames(i store.Index) (pk, sk string) {
	switch i {
	case store.Index1:
		return attrIndex1P, attrIndex1S
	case store.Index2:
		return attrIndex2P, attrIndex2S
	}
	return attrPK, attrSK
}

// IndexName is the name of an index: gsi1, gsi2.
func IndexName(i store.Index) string { return "gsi" + strconv.Itoa(int(i)) }

// encode is the item as attributes. What is zero has no attribute.
func encode(i store.Item) attributes {
	a := keyAttributes(i.Key)
	if i.Version != "" {
		a[attrVersion] = stringValue(i.Version)
	}
	if i.Doc != nil {
		a[attrDoc] = docValue(i.Doc)
	}
	if i.Expires != 0 {
		a[AttrExpires] = numberValue(i.Expires)
	}
	if i.Parts != 0 {
		a[AttrParts] = numberValue(int64(i.Parts))
	}
	for at, k := range map[store.Index]store.Key{store.Index1: i.Index1, store.Index2: i.Index2} {
		// An item without an index key is not in that index. Half a key would be refused by DynamoDB.
		if k != (store.Key{}) { // half a key is refused by DynamoDB
			pk, sk := KeyNames(at)
			a[pk], a[sk] = stringValue(k.PK), stringValue(k.SK)
		}
	}
	for name, s := range i.Text {
		a[prefixText+name] = stringValue(s)
	}
	for name, n := range i.Num {
		a[prefixNum+name] = numberValue(n)
	}
	return a
}

// decode is the item of attributes, as a table or an index has them. The change that rode is no part of the item.
func decode(a attributes) (store.Item, error) {
	var i store.Item
	for name, v := range a {
		if err := setAttribute(&i, name, v); err != nil {
			return store.Item{}, err
		}
	}
	return i, nil
}

// setAttribute sets in the item what one attribute holds. Attributes that it does not know are left out: attrMade, and
// the change that rode.
func setAttribute(i *store.Item, name string, v types.AttributeValue) error {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		setText(i, name, v.Value)
	case *types.AttributeValueMemberB:
		i.Doc = v.Value
	case *types.AttributeValueMemberN:
		n, err := strconv.ParseInt(v.Value, 10, 64)
		if err != nil {
			return fmt.Errorf("%w: its attribute %s is no whole number of 64 bits", store.ErrUnreadable, name)
		}
		setNumber(i, name, n)
	}
	return nil
}

// setText gives the item an attribute that is a text: one of the store's own, or one of Text, by its prefix.
func setText(i *store.Item, name, s string) {
	switch name {
	case attrPK:
		i.PK = s
	case attrSK:
		i.SK = s
	case attrVersion:
		i.Version = s
	case attrDoc:
		i.Doc = []byte(s)
	case attrIndex1P:
		i.Index1.PK = s
	case attrIndex1S:
		i.Index1.SK = s
	case attrIndex2P:
		i.Index2.PK = s
	case attrIndex2S:
		i.Index2.SK = s
	}
	if n, ok := strings.CutPrefix(name, prefixText); ok {
		if i.Text == nil {
			i.Text = map[string]string{}
		}
		i.Text[n] = s
	}
}

// setNumber gives the item an attribute that is a number, likewise.
func setNumber(i *store.Item, name string, n int64) {
	switch name {
	case AttrExpires:
		i.Expires = n
	case AttrParts:
		i.Parts = int(n)
	}
	if name, ok := strings.CutPrefix(name, prefixNum); ok {
		if i.Num == nil {
			i.Num = map[string]int64{}
		}
		i.Num[name] = n
	}
}

// text is a string attribute, "" when it is not there.
func text(a attributes, name string) string {
	if s, ok := a[name].(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}
