package main

import (
	"eshop/functions/customers"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(customers.Function) }
