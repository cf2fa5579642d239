package main

import (
	"eshop/functions/batcher"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(batcher.Function) }
