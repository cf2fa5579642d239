// Command lambda is the program of one Lambda: it serves functions/images, and links no other function of THE list.
package main

import (
	"eshop/functions/images"
	"eshop/shared/host/lambda"
)

func main() { lambda.Serve(images.Function) }
