package main

// AWS's list prices in us-east-1 in November 2026, in US dollars, from https://aws.amazon.com/<service>/pricing. Free
// tiers and discounts for much are left out.
const (
	writePrice    = 0.625 // a million write units of DynamoDB, on demand
	readPrice     = 0.125 // a million read units
	storePrice    = 0.25  // a gigabyte of tables, a month
	recoveryPrice = 0.20  // a gigabyte of tables that can be restored to any second, a month

	callPrice   = 0.20       // a million calls of Lambda
	secondPrice = 13.3334e-6 // a gigabyte-second of Lambda on arm64

	messagePrice = 0.50 // a million requests of SQS with the group of a fair queue
	pollPrice    = 0.40 // a million that find nothing

	doorPrice = 1.00 // a million requests of an HTTP API

	edgePrice     = 1.00  // a million requests of CloudFront over HTTPS
	edgeRunPrice  = 0.10  // a million calls of a program at the edge: one at each request
	filterPrice   = 0.60  // a million requests that the firewall looks at
	firewallPrice = 8.00  // the firewall, 5, and each of its three rules, 1, a month
	edgeSentPrice = 0.085 // a gigabyte that CloudFront sends
	tenantPrice   = 0.10  // a tenant of CloudFront beyond those that the next price holds, a month
	tenancyPrice  = 20.00 // up to 200 tenants, of which ten are free, a month
	sentPrice     = 0.09  // a gigabyte that is sent to the internet without it

	copyPrice     = 0.10 // a gigabyte of a copy of a table that AWS Backup keeps, a month
	copyFilePrice = 0.05 // a gigabyte of files that it keeps
	copySentPrice = 0.02 // a gigabyte of a copy that goes to another region

	filePrice = 0.023 // a gigabyte of files in S3, a month
	getPrice  = 0.40  // a million files read

	keyPrice  = 1.00 // a key of KMS, a month; its first two rotations make it one more each
	openPrice = 3.00 // a million calls of KMS

	logPrice     = 0.50 // a gigabyte of log lines
	logKeptPrice = 0.03 // a gigabyte of them, a month
	alarmPrice   = 0.10 // a metric that an alarm looks at, a month
	metricPrice  = 0.30 // a metric of our own, a month
	boardPrice   = 3.00 // the dashboard, a month
)

// What tests count in the list of functions (functions/house/bill_test.go) and in the template
// (infra/stack/monitoring_test.go).
const (
	alarmMetrics = 200  // that alarms look at
	ownMetrics   = 79   // of our own
	sweepReads   = 22.5 // units of a run of the sweeper that finds nothing to do

	deliverySlots  = 400  // batches of first attempts at webhooks that are handled side by side
	deliveryBatch  = 100  // attempts in one of them, at most
	deliveryMemory = 1.0  // gigabytes of the function that makes them
	sqsBatch       = 10   // messages in one request of SQS
	doorRate       = 5000 // requests a second that the door lets in
)

// copiesKept are those of the main table that AWS Backup keeps at once: for two days here, and for 14 in the second
// place (infra/stack/backup.go).
const copiesKept = 2 + 14

// What nobody can count before it is there, as it is assumed.
const (
	gigabytes = 0.5    // of memory of a function: that of nearly all others in the list
	ownTime   = 0.003  // seconds that a request or an attempt takes a function, beside its calls
	waveTime  = 0.005  // seconds that it waits for calls made side by side
	lineSize  = 350    // bytes of a line of a log
	bodySize  = 1500   // bytes that an attempt at a webhook sends: headers, TLS's records, a small body
	fileSize  = 50_000 // bytes of a picture, a style or a script
	perPage   = 3      // of these that a page brings which the browser has not yet
	edgeKeeps = 0.9    // of these are at the edge already; the functions answer the others

	// The share of requests and attempts whose process does not remember who calls or listens. It remembers for 30 s or
	// 5, so the more shops and processes there are, the fewer are remembered.
	unknown = 0.5

	recordSize = 4000 // bytes in all tables of a customer, product or order with its claims, its words and indexes
	rowSize    = 900  // bytes of a delivery that was made, with its keys; of a row of the change feed half of it
	peak       = 3.5  // times the mean of the day, in its busiest seconds
	month      = 30   // days; deliveries and the change feed are kept for as many, and log lines, too
)

// tenantsPrice is that of so many tenants of CloudFront, and the installation's own.
func tenantsPrice(tenants float64) float64 {
	if tenants++; tenants <= 10 {
		return 0
	}
	return tenancyPrice + max(0, tenants-200)*tenantPrice
}
