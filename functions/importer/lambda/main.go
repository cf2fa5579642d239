package main

import (
	"eshop/functions/importer"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(importer.Function) }
