// Command lambda is the program of one Lambda: it serves functions/shop, and links no other function of THE list.
package main

import (
	"eshop/functions/shop"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(shop.Function) }
