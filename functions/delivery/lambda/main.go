package main

import (
	"eshop/functions/delivery"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(delivery.Function) }
