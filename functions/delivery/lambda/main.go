// Command lambda is the program of one Lambda: it serves functions/delivery, and links no other function of THE list.
package main

import (
	"eshop/functions/delivery"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(delivery.Function) }
