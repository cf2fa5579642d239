package main

import "time"

// load is what a platform does on a day, all its shops together.
type load struct {
	Shops    float64
	Orders   float64 // checkouts
	Pages    float64 // that shops show, those of the orders among them
	Requests float64 // of add-ons
	Changes  float64 // of a hundred of these: so many change a product
	Lists    float64 // and so many get a list of 50 products; the others get one
	Webhooks float64
	Answer   time.Duration // of a receiver; of those in one batch the slowest counts
	Records  float64       // that a shop has: customers, products, orders
	Files    float64       // gigabytes of a shop's pictures and other files
	Domain   bool          // CloudFront and its firewall stand in front
	Second   bool          // there is a second place: a replica of the main table, and a copy a day
	Own      float64       // shops at domains of their merchants'
}

// Of a shop of which nothing else is known, a day.
const (
	ordersOfShop   = 20
	pagesOfOrder   = 50
	requestsOfShop = 4000
	heardBy        = 3 // webhooks of each change
	ownOfShops     = 0.2
)

// usual is a load of 500 shops of which nothing else is known.
func usual() load {
	return load{Shops: 500, Changes: 20, Lists: 5, Answer: time.Second, Records: 10_000, Files: 1, Domain: true,
		Second: true, Orders: -1, Pages: -1, Requests: -1, Webhooks: -1, Own: -1}
}

// large is a load that the guide has a page about: 50 million requests, a fifth of which are pages, and 200 million
// webhooks.
func large() load {
	l := usual()
	l.Shops, l.Requests, l.Pages, l.Webhooks = 10_000, 40*million, 10*million, 200*million
	return l.filled()
}

// filled is the load with what is usual for so many shops where a number is below 0.
func (l load) filled() load {
	usual := func(n *float64, otherwise float64) {
		if *n < 0 {
			*n = otherwise
		}
	}
	usual(&l.Orders, l.Shops*ordersOfShop)
	usual(&l.Pages, l.Orders*pagesOfOrder)
	usual(&l.Requests, l.Shops*requestsOfShop)
	usual(&l.Webhooks, l.changes()*heardBy)
	usual(&l.Own, l.Shops*ownOfShops)
	return l
}

// changes are those of a day that are told of.
func (l load) changes() float64 { return l.Requests*l.Changes/100 + l.Orders }

// changesTogether is how many changes of so many a day are handled in one call: what comes in a tenth of a second, but
// one at least and ten at most.
func changesTogether(aDay float64) float64 { return min(max(aDay/day/10, 1), 10) }

// attemptsTogether is how many attempts of so many a day are made in one call. Five pollers of Lambda share a second's
// messages, so it is what comes in a fifth of one.
func attemptsTogether(aDay float64) float64 { return min(max(aDay/day/5, 1), deliveryBatch) }

const day = 24 * 60 * 60 // seconds

// parts are what the load takes on a day: requests, changes with the index, and webhooks.
func (l load) parts() (requests, changes, webhooks spent) {
	do := func(times float64, name string) {
		o := operationOf(name)
		requests = requests.plus(request(o.units, o.Waves, o.Answer).times(times))
		changes = changes.plus(l.indexed(o).times(times))
	}
	changing, listing := l.Requests*l.Changes/100, l.Requests*l.Lists/100
	do(l.Requests-changing-listing, "GET of a product")
	do(listing, "a list of 50 products")
	do(changing, "PATCH of a product")
	ordering := []string{"the first product in a basket", "the basket", "the form of a checkout", "a checkout"}
	for _, name := range ordering {
		do(l.Orders, name)
	}
	pages := max(l.Pages-l.Orders*float64(len(ordering)), 0)
	do(pages, "a page of a product")
	requests.Reads += unknown * (l.Requests*unknownCaller + l.Pages*unknownShop)
	// Files that the edge has not, and all of them without an edge.
	files := l.Pages * perPage
	if l.Domain {
		files *= 1 - edgeKeeps
	}
	requests = requests.plus(request(units{}, 1, fileSize).times(files))
	changes = changes.plus(changed(changesTogether(l.changes())).times(l.changes()))
	webhooks = delivered(changesTogether(l.changes()), attemptsTogether(l.Webhooks), l.Answer).times(l.Webhooks)
	webhooks.Reads += unknown * l.Webhooks * unknownReceiver
	return requests, changes, webhooks
}

// indexed is what the indexer takes of an operation.
func (l load) indexed(o operation) spent {
	if o.indexed() == (units{}) {
		return spent{}
	}
	n := changesTogether(l.changes())
	return spent{units: o.indexed(), Calls: 1 / n, Lines: 1 / n}.lasting(ownTime+3*waveTime/n, gigabytes)
}

// line is a line of a month's bill.
type line struct {
	Service, Part string
	Amount        float64
	Unit          string
	Dollars       float64
}

// lines are those of a bill.
type lines []line

// add adds a line, unless it is of less than half a cent.
func (all *lines) add(service, part string, amount float64, unit string, price float64) {
	if amount*price >= 0.005 {
		*all = append(*all, line{service, part, amount, unit, amount * price})
	}
}

// The units of lines.
const (
	millions    = "million"
	gigabytesOf = "GB"
	metricsOf   = "metrics"
)

// month is the bill of a month of such days, service by service.
func (l load) month() []line {
	var bill lines
	requests, changes, webhooks := l.parts()
	requests, webhooks = requests.times(month), webhooks.times(month)
	all := requests.plus(changes.times(month)).plus(webhooks)
	runs := month * day / 60.0 // of the clock
	stored := l.stored()
	bill.add("DynamoDB", "writes", all.Writes/million, millions, writePrice)
	bill.add("DynamoDB", "reads", (all.Reads+runs*sweepReads)/million, millions, readPrice)
	bill.add("DynamoDB", "storage", stored, gigabytesOf, storePrice)
	bill.add("DynamoDB", "recovery", stored, gigabytesOf, recoveryPrice)
	bill.add("Lambda", "calls", (all.Calls+runs)/million, millions, callPrice)
	bill.add("Lambda", "time", all.GigabyteSeconds/million, "million GB-s", secondPrice*million)
	bill.add("SQS", "messages", all.Messages/million, millions, messagePrice)
	bill.add("SQS", "waiting", polls/million, millions, pollPrice)
	bill.add("API Gateway", "requests", requests.Requests/million, millions, doorPrice)
	answered := requests.Sent / gigabyte
	if l.Domain {
		kept := l.Pages * perPage * edgeKeeps * month
		seen := (requests.Requests + kept) / million
		bill.add("CloudFront", "requests", seen, millions, edgePrice)
		bill.add("CloudFront", "programs", seen, millions, edgeRunPrice)
		bill.add("CloudFront", "sent", answered+kept*fileSize/gigabyte, gigabytesOf, edgeSentPrice)
		bill.add("CloudFront", "firewall", seen, millions, filterPrice)
		bill.add("CloudFront", "firewall's rules", 1, "", firewallPrice)
		bill.add("CloudFront", "shops' own domains", l.Own, "", tenantsPrice(l.Own)/max(1, l.Own))
		answered = 0
	}
	bill.add("S3", "storage", l.Shops*l.Files, gigabytesOf, filePrice)
	bill.add("S3", "reads", l.missed()*month/million, millions, getPrice)
	if main := l.records(); l.Second {
		bill.add("Second place", "writes of the replica", mainWrites(requests, month*l.Requests)/million, millions,
			writePrice)
		bill.add("Second place", "storage of the replica", main, gigabytesOf, storePrice+recoveryPrice)
		bill.add("Second place", "copies of the table", copiesKept*main, gigabytesOf, copyPrice)
		bill.add("Second place", "copies of files", 2*l.Shops*l.Files, gigabytesOf, copyFilePrice)
		bill.add("Second place", "transfer", month*main, gigabytesOf, copySentPrice)
		bill.add("Second place", "replica of the key", 1, "", keyPrice)
	}
	bill.add("KMS", "key", 1, "", keyPrice)
	bill.add("KMS", "calls", l.opened()/million, millions, openPrice)
	bill.add("CloudWatch", "log lines", all.Lines*lineSize/gigabyte, gigabytesOf, logPrice+logKeptPrice)
	bill.add("CloudWatch", "alarms", alarmMetrics, metricsOf, alarmPrice)
	bill.add("CloudWatch", "metrics", ownMetrics, metricsOf, metricPrice)
	bill.add("CloudWatch", "dashboard", 1, "", boardPrice)
	bill.add("Transfer", "answers", answered, gigabytesOf, sentPrice)
	bill.add("Transfer", "webhooks", webhooks.Sent/gigabyte, gigabytesOf, sentPrice)
	return bill
}

// stored is the gigabytes of tables after a month of such days.
func (l load) stored() float64 {
	return l.records() + month*(l.Webhooks*rowSize+l.changes()*rowSize/2)/gigabyte
}

// records is the gigabytes of the main table.
func (l load) records() float64 { return l.Shops * l.Records * recordSize / gigabyte }

// mainWrites are the writes of requests to the main table. What counts for limits is written to a table of its own.
func mainWrites(requests spent, counted float64) float64 { return requests.Writes - counted }

// missed are the files of a day that functions read.
func (l load) missed() float64 {
	if l.Domain {
		return l.Pages * perPage * (1 - edgeKeeps)
	}
	return l.Pages * perPage
}

// polls are the requests of SQS of a month that find nothing: Lambda asks each of two queues five times side by side,
// for 20 s each.
const polls = 2 * 5 * month * day / 20

// opened are the calls of KMS of a month: a process asks for each data key once in five minutes. There are as many
// processes as calls at once, and one of each function that is seldom called.
func (l load) opened() float64 {
	requests, changes, webhooks := l.parts()
	return (25 + requests.plus(changes).plus(webhooks).Seconds/day) * month * day / 300
}
