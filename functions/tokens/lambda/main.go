// Command lambda is the program of one Lambda: it serves functions/tokens, and links no other function of THE list.
package main

import (
	"eshop/functions/tokens"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(tokens.Function) }
