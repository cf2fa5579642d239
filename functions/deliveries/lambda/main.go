package main

import (
	"eshop/functions/deliveries"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(deliveries.Function) }
