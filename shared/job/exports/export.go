package exports

import (
	"encoding/json"
	"math"

	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/job/imports"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
)

// Export is an export as answers show it.
type Export struct {
	ID string `json:"id"`
	Fields
	State       job.State  `json:"state" enum:"waiting,running,done,failed" doc:"How far the export is; done once the file is there"`
	Rows        int64      `json:"rows" doc:"How many records are in the file so far; of JSONL its lines"`
	Progress    float64    `json:"progress" minimum:"0" maximum:"1" doc:"How much is done, 0 to 1"`
	DownloadURL string     `json:"downloadUrl,omitempty" doc:"The address of the file once the export is done, for 24 h, without a token"`
	Error       *Error     `json:"error,omitempty" doc:"Why the export failed"`
	Created     field.Time `json:"created"`
	Changed     field.Time `json:"changed"`
}

// Fields are what a client says of an export.
type Fields struct {
	Type   Type           `json:"type" enum:"customers,products,orders"`
	Format imports.Format `json:"format" enum:"csv,jsonl"`
}

// Error is why an export failed.
type Error struct {
	Code    string `json:"code" example:"insufficient_permission"`
	Message string `json:"message"`
}

// Type is what an export holds.
type Type string

// The types.
const (
	Customers Type = "customers"
	Products  Type = "products"
	Orders    Type = "orders"
)

// Whole is all that a shop has, which the operator alone exports, when a shop leaves. Its lines say what they are of
// (Line). No access and no person of the shop sees such an export.
const Whole Type = "shop"

// Line is a line of an export of a Whole shop.
type Line struct {
	Type   string          `json:"type" doc:"shop, or as the change feed names types, or admins, accesses"`
	Record json.RawMessage `json:"record"`
}

// Needs is the permission for everything about exports of the type.
func (t Type) Needs() permission.Permission {
	switch t {
	case Customers:
		return permission.ReadCustomers
	case Orders:
		return permission.ReadOrders
	}
	return permission.ReadProducts
}

// Allowed is nil while a caller may read everything of the type; else why not.
func (t Type) Allowed(c *change.Caller) error {
	if t == Whole {
		return problem.NotFound()
	}
	return job.May(c, t.Needs())
}

// progress is how much of so many records is in the file. More may be there than were counted, and fewer.
func progress(s job.State, rows, counted int64) float64 {
	switch {
	case s == job.Done:
		return 1
	case counted == 0:
		return 0
	}
	return min(math.Floor(float64(rows)/float64(counted)*10_000)/10_000, 0.9999)
}
