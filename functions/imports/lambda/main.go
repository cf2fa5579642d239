// Command lambda is the program of one Lambda: it serves functions/imports, and links no other function of THE list.
package main

import (
	"eshop/functions/imports"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(imports.Function) }
