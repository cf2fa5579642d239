package main

import (
	"eshop/functions/tokens"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(tokens.Function) }
