package main

import (
	"eshop/functions/webhooks"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(webhooks.Function) }
