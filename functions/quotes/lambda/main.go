package main

import (
	"eshop/functions/quotes"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(quotes.Function) }
