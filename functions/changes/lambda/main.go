// Command lambda is the program of one Lambda: it serves functions/changes, and links no other function of THE list.
package main

import (
	"eshop/functions/changes"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(changes.Function) }
