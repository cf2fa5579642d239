// Command lambda is the program of one Lambda: it serves functions/coupons, and links no other function of THE list.
package main

import (
	"eshop/functions/coupons"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(coupons.Function) }
