//go:build !race

package simulate

// always is how many seeds are tried with each test.
const always = 10
