package main

import (
	"eshop/functions/admin"
	"eshop/shared/lambdahost"
)

func main() { lambdahost.Serve(admin.Function) }
