package imports

import (
	"math"

	"eshop/shared/base/permission"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
)

// Import is an import as answers show it.
type Import struct {
	ID string `json:"id"`
	Fields
	State    job.State  `json:"state" enum:"waiting,running,done,failed" doc:"How far the import is; waiting until the file is there. Ask every second, of a large file every ten"`
	Rows     Rows       `json:"rows"`
	Progress float64    `json:"progress" minimum:"0" maximum:"1" doc:"How much of the file is done, 0 to 1"`
	Created  field.Time `json:"created"`
	Changed  field.Time `json:"changed"`
}

// Fields are what a client says of an import.
type Fields struct {
	Type   Type   `json:"type" enum:"products,customers"`
	Format Format `json:"format" enum:"csv,jsonl"`
	Mode   string `json:"mode" enum:"upsert" doc:"What rows do; upsert: they make the records that are not there, and change those that are"`
}

// Rows are how many rows of the file were read, and what became of them.
type Rows struct {
	Read      int64 `json:"read"`
	Changed   int64 `json:"changed" doc:"How many rows made or changed a record"`
	Unchanged int64 `json:"unchanged"`
	Failed    int64 `json:"failed" doc:"How many rows could not be brought in; the first 10,000 have an entry in the import's errors"`
}

// Type is what an import brings.
type Type string

// The types.
const (
	Products  Type = "products"
	Customers Type = "customers"
)

// Needs is the permission for everything about imports of the type.
func (t Type) Needs() permission.Permission {
	if t == Customers {
		return permission.WriteCustomers
	}
	return permission.WriteProducts
}

// Allowed is nil while a caller may bring in records of the type, and see what became of them; else why not.
func (t Type) Allowed(c *change.Caller) error { return job.May(c, t.Needs()) }

// Format is that of the file.
type Format string

// The formats.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
)

// Error is what was wrong with a row. An erasure does not look into errors, so those of customers' rows have neither
// key nor value.
type Error struct {
	Row      int64  `json:"row" doc:"The number of the row: 1 is the first row of data, which a spreadsheet has in its second row; 0 the file as a whole"`
	Code     string `json:"code" example:"invalid"`
	Location string `json:"location,omitempty" doc:"The first field that is wrong, as in the errors of a POST" example:"body.email"`
	Message  string `json:"message" doc:"All that is wrong with the row, up to five fields, by the names of the file's columns"`
	Fault    string `json:"fault,omitempty" doc:"The rule that the field breaks, by the codes of a POST's errors (required, bad_format); of what is wrong with the file, or how the row is written in it, a name that begins with file_" example:"bad_format"`
	Key      string `json:"key,omitempty" doc:"Of products: the row's code, up to 100 characters"`
	Value    string `json:"value,omitempty" doc:"Of products: what the row has in the field, up to 100 characters"`
}

// progress is how much of a file is done.
func progress(s job.State, at, size int64) float64 {
	if s == job.Done {
		return 1
	}
	if size == 0 {
		return 0
	}
	return math.Floor(float64(at)/float64(size)*10_000) / 10_000
}
