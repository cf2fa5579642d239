// Command lambda is the program of one Lambda: it serves functions/storefront, and links no other function of THE list.
package main

import (
	"eshop/functions/storefront"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(storefront.Function) }
