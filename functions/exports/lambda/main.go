// Command lambda is the program of one Lambda: it serves functions/exports, and links no other function of THE list.
package main

import (
	"eshop/functions/exports"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(exports.Function) }
