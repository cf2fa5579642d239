package main

import (
	"eshop/functions/orders"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(orders.Function) }
