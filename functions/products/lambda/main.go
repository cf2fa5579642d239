package main

import (
	"eshop/functions/products"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(products.Function) }
