// Command lambda is the program of one Lambda: it serves functions/tokens, and links no other function of THE list.
package main

import (
	"eshop/functions/tokens"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(tokens.Function) }
