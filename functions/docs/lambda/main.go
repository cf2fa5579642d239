package main

import (
	"eshop/functions/docs"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(docs.Function) }
