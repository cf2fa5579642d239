// Command lambda is the program of one Lambda: it serves functions/webhooks, and links no other function of THE list.
package main

import (
	"eshop/functions/webhooks"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(webhooks.Function) }
