// Package bill says what the platform costs on AWS: prices × units × counts, and no more than that. `make cost`, the
// command `eshop cost` and the guide's pages have their numbers from here.
//
// # A tour
//
// prices.go has AWS's list prices, what is counted of THE list and the template, and what is assumed, each once.
// operations.go has what requests take, as tests count it: functions/bill_test.go and functions/delivery/cost_test.go
// fail when an operation takes more. spent.go makes dollars of units, month.go a month's bill of a load, walls.go
// the limits that a load meets.
package bill
