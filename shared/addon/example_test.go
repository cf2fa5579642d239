package addon_test

import (
	"fmt"

	"eshop/shared/addon"
	"eshop/shared/field"
	"eshop/shared/permission"
)

// An access has no permission that its package has lost meanwhile.
func ExampleEffectivePermissions() {
	pkg := addon.Package{PackageFields: addon.PackageFields{
		Permissions: field.Permissions{permission.ReadCustomers, permission.ReadOrders}}}
	access := addon.Access{Terms: addon.Terms{State: addon.Active, AccessFields: addon.AccessFields{
		Permissions: field.Permissions{permission.ReadOrders, permission.WriteOrders}}}}
	fmt.Println(addon.EffectivePermissions(access, pkg))
	// Output: [orders:read]
}
