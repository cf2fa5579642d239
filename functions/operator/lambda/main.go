package main

import (
	"eshop/functions/operator"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(operator.Function) }
