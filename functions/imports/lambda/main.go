package main

import (
	"eshop/functions/imports"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(imports.Function) }
