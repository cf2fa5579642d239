package main

import (
	"eshop/functions/shop"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(shop.Function) }
