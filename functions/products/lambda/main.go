// Command lambda is the program of one Lambda: it serves functions/products, and links no other function of THE list.
package main

import (
	"eshop/functions/products"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(products.Function) }
