// Command lambda is the program of one Lambda: it serves functions/orders, and links no other function of THE list.
package main

import (
	"eshop/functions/orders"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(orders.Function) }
