package each_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/each"
)

func TestEachEntryHasItsPlace(t *testing.T) {
	require.Equal(t, []string{"3", "1", "2"}, each.Of([]int{3, 1, 2}, strconv.Itoa))
	require.Equal(t, []string{}, each.Of(nil, strconv.Itoa), "as JSON's [], and never null")
}
