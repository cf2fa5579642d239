package main

import (
	"eshop/functions/coupons"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(coupons.Function) }
