// Command lambda is the program of one Lambda: it serves functions/quotes, and links no other function of THE list.
package main

import (
	"eshop/functions/quotes"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(quotes.Function) }
