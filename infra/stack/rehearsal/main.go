// Command rehearsal is the Lambda that CodeDeploy calls before a new version of a function has any of its calls. It
// calls the version once, with the function's payload of events/samples, and tells CodeDeploy whether that ended
// well: a version that cannot start, or answers with a fault of our own, is not deployed at all.
//
// The payloads name shops, imports and deliveries that there are not, so a call of them changes nothing that anybody
// would see. They need the tables, the key and the queues all the same.
package main

import (
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"eshop/shared/ports/awsconf"
)

func main() {
	cfg, err := awsconf.Load(os.Getenv)
	if err != nil {
		panic(err) // Lambda sets all of it
	}
	lambda.Start(newRehearsal(cfg, os.Getenv(Functions)).handle)
}
