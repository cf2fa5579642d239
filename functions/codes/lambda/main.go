package main

import (
	"eshop/functions/codes"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(codes.Function) }
