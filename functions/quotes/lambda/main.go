// Command lambda is the program of one Lambda: it serves functions/quotes, and links no other function of THE list.
package main

import (
	"eshop/functions/quotes"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(quotes.Function) }
