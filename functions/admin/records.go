package admin

import "eshop/shared/page"

// nothing is the input of an operation that takes nothing.
type nothing struct{}

// above is the way back to the list that a screen lies below.
func (v *visit) above(name, path string) []page.Link {
	return []page.Link{{Text: v.say(name), Path: path}}
}

// shownState is a state as it is shown: Mark is what data-state has (contract, section 7), Name is the state in words,
// and Look is how it looks: "good", "warn", "bad" or "".
type shownState struct{ Mark, Name, Look string }

// shownAs is a state in words. The name of its text is a prefix and the state.
func shownAs[S ~string](v *visit, prefix string, state S, looks map[S]string) shownState {
	return shownState{string(state), v.say(prefix + string(state)), looks[state]}
}
