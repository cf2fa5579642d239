// Command lambda is the program of one Lambda: it serves functions/urls, and links no other function of THE list.
package main

import (
	"eshop/functions/urls"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(urls.Function) }
