package field

import (
	"github.com/danielgtaylor/huma/v2"

	"eshop/shared/base/permission"
)

// Permissions are names of permissions. That each is there once is a rule of the record that has them.
type Permissions []permission.Permission

// Schema describes the type.
func (Permissions) Schema(huma.Registry) *huma.Schema { return listOf(permission.All) }
