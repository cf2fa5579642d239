package model

import "github.com/anishathalye/porcupine"

// ClaimAsk is a request that takes a unique value, as a new customer takes an e-mail, or frees it, as a deletion does.
// Its answer is a status.
type ClaimAsk struct{ Frees bool }

// claimModel: a unique value has one holder at a time, is refused only while it has one, and is free again once its
// holder is deleted (contract, "Customers").
var claimModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{false} },
	Step: func(state, in, out any) []any {
		held, ask, status := state.(bool), in.(ClaimAsk), out.(int)
		switch {
		case status == Unknown && held == ask.Frees:
			return []any{held, !held}
		case status == Unknown:
			return []any{held}
		case status == 409:
			return anys(only(held, held))
		case status >= 300: // refused for another reason
			return []any{held}
		}
		return anys(only(held == ask.Frees, !ask.Frees))
	},
}
