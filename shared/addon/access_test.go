package addon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/addon"
)

func TestStatesMoveAsThePackagesDo(t *testing.T) {
	for _, x := range []struct{ is, to, next addon.AccessState }{
		{addon.Installed, addon.Active, addon.Active},
		{addon.Installed, addon.Deactivated, addon.Installed},
		{addon.Active, addon.Active, addon.Active},
		{addon.Active, addon.Deactivated, addon.Deactivated},
		{addon.Deactivated, addon.Active, addon.Active},
		{addon.Deactivated, addon.Deactivated, addon.Deactivated},
	} {
		require.Equal(t, x.next, addon.Next(x.is, x.to))
	}
}
