package main

import (
	"eshop/functions/urls"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(urls.Function) }
