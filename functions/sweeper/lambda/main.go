// Command lambda is the program of one Lambda: it serves functions/sweeper, and links no other function of THE list.
package main

import (
	"eshop/functions/sweeper"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(sweeper.Function) }
