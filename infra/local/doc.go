// Package local is the one-process host: HTTP, feed, queues and schedule of the whole platform on one port of this
// machine, on a bbolt file (contract, "The one process"). Kill it at any moment and nothing acknowledged is lost.
//
// # A tour
//
// Begin with local.go: Main reads the settings (settings.go), starts a Server, and stops it at a signal. Start has four
// steps: it listens, opens the data folder (folder.go) and in it the platform, serves, and writes run.json (run.go).
//
//	folder.go    the data folder: its database and tokens; a new one is seeded (infra/demo)
//	platform.go  the platform, made of this host's stores and queues; all operations, and the host's own routes
//	http.go      the HTTP server, which bounds slow clients
//	proxies.go   what trusted proxies tell of a request: the visitor's address, host and scheme
//	traffic.go   counts requests that are being answered: work that can wait lets them go first
//	pump.go      what else calls functions: bells of the queues, ticks of the clock
//	feeder.go    the same for the changes of the feed
//	uploads.go   the same for files that are put; inbox.go is where they wait for their turn
//	stream.go    answers that are sent while they are made: backups (backup.go) and files (downloads.go)
//	health.go    whether it serves; metrics.go (with build.go) and log.go are for who runs it
//
// The demo shop, with its add-ons and what a start prints of it, is infra/demo, which knows nothing of this package.
//
// # What nobody can do
//
// Hold it up: a request's head has 10 s to come and the whole of it a minute (an upload has a minute for each piece),
// its answer is to be taken within two minutes (of a backup or a file each piece), and a connection without requests is
// closed after one. 1,000 connections are open at once; the next one waits until one of them ends. A body takes the
// memory of what has come of it, whatever length it declares, and imports make room for whole requests that are being
// answered only. Uploads and exports leave 1 GiB of the disk free for the data: else uploads are 503, in their middle,
// too, and exports fail.
//
// Take its secrets away unseen: a start that finds no good token in a file of one (operator.token, demo.token, …) makes
// a new one and says so; a damaged secret.key it refuses.
//
// # Glossary
//
//   - bell: the message that says which delivery to look at (package webhook); worth nothing by itself.
//   - pump: the goroutine that calls a function until the stop, when its feed, queue, clock or uploads have something.
//   - slot: what work needs to begin, so that only so much of it goes on side by side.
//   - turn: the time that a file keeps its slot where others wait.
//   - traffic: requests that are being answered; calm is a moment without them.
//   - put aside: what is done with a change that fails again and again: it is logged, and the feed goes on behind it.
//   - demo: the shop that a new data folder is seeded with, and its add-ons: the receiver that shows its webhooks and
//     the configurator that sells products as gifts, at a price of its own. Each has an access of its own.
package local
