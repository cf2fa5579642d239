// Command lambda is the program of one Lambda: it serves functions/admin, and links no other function of THE list.
package main

import (
	"eshop/functions/admin"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(admin.Function) }
