// Command pruner is the Lambda that deletes old versions of functions.
//
// Each deployment makes a version of each function that it changes. CloudFormation keeps all versions, so that one can
// go back. But Lambda keeps 75 GB of code for an account in a region, which is about 780 deployments. So once a day the
// pruner goes through the functions: the newest versions of each stay, and those that an alias leads to. It deletes the
// others.
//
// If the account's code takes four fifths of its room all the same, the pruner fails, and so an alarm rings.
package main

import (
	"os"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"

	"eshop/infra/awscall"
	"eshop/shared/awsconf"
)

// Functions is the variable of the environment with the names that functions have in AWS, with commas between.
const Functions = "FUNCTIONS"

func main() {
	cfg, err := awsconf.Load(os.Getenv)
	if err != nil {
		panic(err) // Lambda sets all of it
	}
	lambda.Start(pruner{aws: awscall.New(cfg), functions: strings.Split(os.Getenv(Functions), ",")}.handle)
}
