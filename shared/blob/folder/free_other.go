//go:build !(linux || darwin || freebsd)

package folder

import "math"

// free is without an end where the system is not asked.
func free(string) (int64, error) { return math.MaxInt64, nil }
