package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/addondata"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Data are records beside which packages keep data of their own (contract, "Data of an add-on").
type Data struct {
	Kind                      events.RecordKind
	Key                       func(shop, id string) store.Key // of a record's own item
	Path, ID, One             string                          // "/api-engine/customers", "Customer", "a customer"
	NeedsToRead, NeedsToWrite permission.Permission
}

// dataParam is the parameter by which records come with what the caller's package keeps beside them.
var dataParam = Param{Name: "data", Flag: true, Later: true,
	Doc: "With `data`: what your package keeps beside the record; `{}` where that is nothing"}

// AddData registers the operations on what packages keep beside records, whose answers are of type R. Operations with
// such an answer take dataParam by their Op.Data.
func AddData[R any](a *API, d Data) {
	const of, tag = "/{id}/data", "Add-on data"
	shown := resolve(a.schemas(), a.schemas().Schema(reflect.TypeFor[R](), true, ""))
	shown.Properties["data"] = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true,
		Description: "What your package keeps beside it; only where you ask for it by `data=true`"}
	Add(a, Op{Route: "GET " + d.Path + of, ID: "read" + d.ID + "Data", Tag: tag, Needs: d.NeedsToRead,
		Summary: "Read your data beside " + d.One,
		Doc: "What your package keeps beside the record; `{}` if that is nothing. No other package sees it, and no " +
			"shopper. Read records together with it by `data=true`."}, d.read)
	Add(a, Op{Route: "PUT " + d.Path + of, ID: "write" + d.ID + "Data", Tag: tag, Needs: d.NeedsToWrite,
		Summary: "Keep data beside " + d.One, Matches: true,
		Doc: "A JSON object of up to 4 KiB (422 `too_big`), in place of the one before: ids of your system, what " +
			"you have sent where. `changed` and the ETag of the record stay, and nobody is told. It goes with the " +
			"record, and seven days after your package is deactivated, unless it is activated again meanwhile."},
		d.write)
	Add(a, Op{Route: "DELETE " + d.Path + of, ID: "delete" + d.ID + "Data", Tag: tag, Needs: d.NeedsToWrite,
		Summary: "Delete your data beside " + d.One, Doc: "The same as to keep `{}`."}, d.delete)
}

// of is the record that a call is about.
func (d Data) of(c *Call, id string) addondata.Of {
	return addondata.Of{Shop: c.Shop, Kind: d.Kind, ID: id, Key: d.Key(c.Shop, id)}
}

func answerData(d addondata.Data) *Answer[field.Object] { return Of(d.Object, d.Version) }

func (d Data) read(c *Call, in *ByID) (*Answer[field.Object], error) {
	data, err := addondata.Read(c, c.api.Table, d.of(c, in.ID), c.Package)
	if err != nil {
		return nil, err
	}
	return answerData(data), nil
}

// dataOf is the input of a PUT.
type dataOf struct {
	ByID
	Body field.Object
}

func (d Data) write(c *Call, in *dataOf) (*Answer[field.Object], error) {
	return Do(c, answerData, func(u *change.Unit) (addondata.Data, error) {
		return addondata.Write(c, u, d.of(c, in.ID), c.Package, in.Body)
	})
}

func (d Data) delete(c *Call, in *ByID) (*None, error) {
	return Done(c, func(u *change.Unit) error {
		_, err := addondata.Write(c, u, d.of(c, in.ID), c.Package, nil)
		return err
	})
}

// asksData says whether the request asks for records with what the caller's package keeps beside them.
func (c *Call) asksData() bool { return c.op.Data != "" && c.Query(dataParam.Name) == "true" }

// addData adds to records, as answers have them, what the caller's package keeps beside them. It passes over what is no
// record.
func (c *Call) addData(docs ...*json.RawMessage) error {
	docs = slices.DeleteFunc(docs, func(doc *json.RawMessage) bool { return len(*doc) == 0 })
	of := make([]addondata.Of, len(docs))
	for i, doc := range docs {
		var own Abridged
		if err := json.Unmarshal(*doc, &own); err != nil {
			return err
		}
		of[i] = addondata.Of{Shop: c.Shop, Kind: c.op.Data, ID: own.ID}
	}
	all, err := addondata.ReadAll(c, c.api.Table, of, c.Package)
	if err != nil {
		return err
	}
	for i, doc := range docs {
		*doc = fmt.Appendf((*doc)[:len(*doc)-1], `,"data":%s}`, record.Document(all[i]))
	}
	return nil
}

// withData is the body of an answer with what addData adds. A page that Page has made has it already.
func (c *Call) withData(body any) (any, error) {
	if page, is := body.(interface{ encode() []*json.RawMessage }); is {
		return body, c.addData(page.encode()...)
	}
	doc := json.RawMessage(record.Document(body))
	return &doc, c.addData(&doc)
}
