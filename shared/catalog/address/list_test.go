package address

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
)

func TestAFilterNamesAnOwner(t *testing.T) {
	for filter, owner := range map[string]Owner{
		"product:1": {Product, "1"}, "category:1": {Category, "1"},
		"order:1": {}, "product:": {}, "product": {}, ":1": {}, "": {},
	} {
		is, err := OwnerIn(filter)
		require.Equal(t, owner, is, filter)
		require.Equal(t, owner == (Owner{}), problem.Is(err, "invalid"), "%s: %v", filter, err)
	}
}

func TestAFilterOfURLs(t *testing.T) {
	all := []URL{{Slug: "system-active", System: true, Active: true}, {Slug: "system", System: true},
		{Slug: "active", Active: true}, {Slug: "neither"}}
	for filter, fit := range map[URLFilter][]string{
		{}:                                {"system-active", "system", "active", "neither"},
		{Kind: "system"}:                  {"system-active", "system"},
		{Kind: "custom"}:                  {"active", "neither"},
		{Active: "true"}:                  {"system-active", "active"},
		{Active: "false"}:                 {"system", "neither"},
		{Kind: "custom", Active: "false"}: {"neither"},
	} {
		var is []string
		for _, u := range all {
			if filter.matches(u) {
				is = append(is, u.Slug)
			}
		}
		require.Equal(t, fit, is, "%+v", filter)
	}
}
