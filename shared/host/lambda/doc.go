// Package lambda runs one function of THE list in AWS Lambda.
//
// # A tour
//
// Begin with lambda.go: Serve is the whole of a Lambda's main. environment.go reads what the stack has written into
// the environment, and makes the platform of it. What comes in are Lambda's events, and each kind has its translation
// into what the function takes, which tests use without Lambda: HTTP (http.go), Feed of a DynamoDB stream (feed.go),
// Messages of an SQS queue (messages.go), Upload of EventBridge's events of S3, and Tick of the clock. What goes out
// are answers, failures by which Lambda hands events again, lines of the log (log.go), and metrics (metrics.go).
package lambda
