// Command lambda is the program of one Lambda: it serves functions/developer, and links no other function of THE list.
package main

import (
	"eshop/functions/developer"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(developer.Function) }
