// Command lambda is the program of one Lambda: it serves functions/exporter, and links no other function of THE list.
package main

import (
	"eshop/functions/exporter"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(exporter.Function) }
