package events

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhoActedIsToldInTheWordsOfTheContract(t *testing.T) {
	told := map[By]bool{}
	for _, c := range []struct {
		actor Actor
		is    By
	}{
		{Package("mine"), Self}, {Package("other"), OtherPackage}, {Package("mine2"), OtherPackage},
		{Person("ada"), ByAdmin}, {Person(""), ByAdmin}, {Operator("first"), ByOperator}, {Developer, ByOperator},
		{Shopper, ByShopper}, {"", Platform}, {Package(""), Platform},
	} {
		require.Equal(t, c.is, c.actor.To("mine"), c.actor)
		told[c.is] = true
	}
	require.Len(t, told, len(Bys))
	require.Equal(t, Platform, Actor("").To(""), "who belongs to no package did not do what nobody did")
}
