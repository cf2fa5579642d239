package operator

import (
	"eshop/shared/api"
	"eshop/shared/job/erasure"
	"eshop/shared/record/field"
)

// registerErasures registers the look at the erasing of a customer.
func (d door) registerErasures(a *api.API) {
	api.Add(a, api.Op{Route: "GET /operator/erasures/{id}", ID: "readErasure", Tag: "Operator",
		Summary: "Read how far a customer is erased, and who was told",
		Doc: "By the customer's id. `told` are the receivers that were sent `customerErase`, with what became of it: " +
			"`delivered` is a confirmation by 2xx. It is known for 30 days, as long as deliveries are kept."},
		d.readErasure)
}

// ShownErasure is an erasure as the operator sees it.
type ShownErasure struct {
	erasure.Erasure
	Shop    string         `json:"shopId"`
	Created field.Time     `json:"created"`
	Told    []erasure.Told `json:"told"`
}

// readErasure shows how far a customer is erased.
func (d door) readErasure(c *api.Call, in *api.ByID) (*api.Plain[ShownErasure], error) {
	j, err := erasure.Read(c, d.Main, in.ID)
	if err != nil {
		return nil, err
	}
	told, err := d.Erasures().Told(c, j)
	if err != nil {
		return nil, err
	}
	return api.PlainOf(ShownErasure{j.Erasure, j.Shop, j.Created, told}), nil
}
