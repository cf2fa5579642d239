// Package each makes a list of another one, entry by entry.
package each

// Of is what of makes of each entry of a list, in their order.
func Of[T, R any](list []T, of func(T) R) []R {
	all := make([]R, len(list))
	for i, entry := range list {
		all[i] = of(entry)
	}
	return all
}
