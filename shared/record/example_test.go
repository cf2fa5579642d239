package record_test

import (
	"context"
	"fmt"

	"eshop/shared/base/problem"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

type depotFields struct {
	Name, Code string
}

type depot struct {
	record.Head
	depotFields
}

// depots have a code of their own, each shop's by itself.
var depots = &record.Kind[depot, depotFields]{
	Key:   func(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#DEPOT#" + id, SK: "A"} },
	List:  func(shop string) string { return "S#" + shop + "#DEPOT" },
	Split: func(s *depot) (*record.Head, *depotFields) { return &s.Head, &s.depotFields },
	Claims: func(shop string, f depotFields) []record.Claim {
		return []record.Claim{{Key: store.Key{PK: "S#" + shop + "#=DEPOT#" + f.Code, SK: "A"},
			Taken: problem.Conflict("code_taken", "Another depot of this shop has this code.")}}
	},
}

// A kind of record says where it lies and which of its values are unique; the commands follow.
func ExampleKind() {
	hosttest.Example(func(ctx context.Context, u *change.Unit) {
		depot, err := depots.Create(ctx, u, depotFields{Name: "Brno", Code: "B"})
		fmt.Println(depot.Name, err)
		_, err = depots.Create(ctx, u, depotFields{Name: "Another", Code: "B"})
		fmt.Println(problem.Is(err, "code_taken"))

		depot, err = depots.Change(ctx, u, depot.ID, func(f depotFields) (depotFields, error) {
			f.Name = "Brno-North"
			return f, nil
		})
		fmt.Println(depot.Name, err)
		fmt.Println(depots.Delete(ctx, u, depot.ID))
		_, err = depots.Read(ctx, u.Table, u.Shop, depot.ID)
		fmt.Println(problem.Is(err, "not_found"))
	})
	// Output:
	// Brno <nil>
	// true
	// Brno-North <nil>
	// <nil>
	// true
}
