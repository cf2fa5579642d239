// Command lambda is the program of one Lambda: it serves functions/docs, and links no other function of THE list.
package main

import (
	"eshop/functions/docs"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(docs.Function) }
