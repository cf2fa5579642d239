package main

import (
	"eshop/functions/storefront"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(storefront.Function) }
