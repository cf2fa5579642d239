// Command lambda is the program of one Lambda: it serves functions/canary, and links no other function of THE list.
package main

import (
	"eshop/functions/canary"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(canary.Function) }
