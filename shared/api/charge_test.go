package api

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARequestThatBeganInTheSecondBeforeForgetsNoneOfThisOne(t *testing.T) {
	var r perWindow
	require.EqualValues(t, 1, r.count("a", 10))
	require.EqualValues(t, 1, r.count("a", 11))
	require.EqualValues(t, 2, r.count("a", 10))
	require.EqualValues(t, 3, r.count("a", 11))
	require.EqualValues(t, 1, r.count("b", 11))
}
