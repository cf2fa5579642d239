// Command lambda is the program of one Lambda: it serves functions/indexer, and links no other function of THE list.
package main

import (
	"eshop/functions/indexer"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(indexer.Function) }
