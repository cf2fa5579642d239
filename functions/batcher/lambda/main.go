// Command lambda is the program of one Lambda: it serves functions/batcher, and links no other function of THE list.
package main

import (
	"eshop/functions/batcher"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(batcher.Function) }
