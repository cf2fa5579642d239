// Command lambda is the program of one Lambda: it serves functions/customers, and links no other function of THE list.
package main

import (
	"eshop/functions/customers"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(customers.Function) }
