// Command lambda is the program of one Lambda: it serves functions/docs, and links no other function of THE list.
package main

import (
	"eshop/functions/docs"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(docs.Function) }
