// Command lambda is the program of one Lambda: it serves functions/codes, and links no other function of THE list.
package main

import (
	"eshop/functions/codes"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(codes.Function) }
