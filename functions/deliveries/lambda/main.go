// Command lambda is the program of one Lambda: it serves functions/deliveries, and links no other function of THE list.
package main

import (
	"eshop/functions/deliveries"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(deliveries.Function) }
