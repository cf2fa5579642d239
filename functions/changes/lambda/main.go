// Command lambda is the program of one Lambda: it serves functions/changes, and links no other function of THE list.
package main

import (
	"eshop/functions/changes"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(changes.Function) }
