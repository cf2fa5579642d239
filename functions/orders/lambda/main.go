// Command lambda is the program of one Lambda: it serves functions/orders, and links no other function of THE list.
package main

import (
	"eshop/functions/orders"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(orders.Function) }
