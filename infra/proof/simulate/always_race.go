//go:build race

package simulate

// always is how many seeds are tried with each test: the race detector looks at who shares what, and makes each several
// times as long.
const always = 1
