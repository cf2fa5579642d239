// Command lambda is the program of one Lambda: it serves functions/operator, and links no other function of THE list.
package main

import (
	"eshop/functions/operator"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(operator.Function) }
