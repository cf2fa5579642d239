// Command lambda is the program of one Lambda: it serves functions/imports, and links no other function of THE list.
package main

import (
	"eshop/functions/imports"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(imports.Function) }
