package main

import (
	"eshop/functions/sweeper"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(sweeper.Function) }
