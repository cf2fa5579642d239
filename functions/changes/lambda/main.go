package main

import (
	"eshop/functions/changes"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(changes.Function) }
