package permission_test

import (
	"fmt"
	"slices"

	"eshop/shared/permission"
)

func Example() {
	fmt.Println(permission.ReadCustomers, slices.Contains(permission.All, permission.WriteOrders))
	// Output: customers:read true
}
