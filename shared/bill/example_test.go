package bill_test

import (
	"fmt"

	"eshop/shared/bill"
)

// What a month of a platform costs, by service, and the limit that its growth meets first.
func Example() {
	load := bill.Large()
	for _, service := range bill.Services(load.Month()) {
		fmt.Println(service.Service)
	}
	fmt.Println("first:", load.Walls()[0].Name)
	// Output:
	// DynamoDB
	// Lambda
	// SQS
	// API Gateway
	// CloudFront
	// S3
	// KMS
	// CloudWatch
	// Transfer
	// first: reads of the table `Main`
}
