// Command lambda is the program of one Lambda: it serves functions/importer, and links no other function of THE list.
package main

import (
	"eshop/functions/importer"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(importer.Function) }
