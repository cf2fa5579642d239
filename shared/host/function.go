package host

import (
	"context"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/id"
	"eshop/shared/ports/queue"
)

// Function is a row of THE list (functions.List): what one Lambda runs alone, and the one process beside all others.
// Exactly one of HTTP, Feed, Messages, Upload and Tick is set. That is its trigger, with everything that both hosts and
// the stack need to know of it.
type Function struct {
	Name string // of the folder and the Lambda
	Doc  string // one sentence

	HTTP     func(p *Platform, a *api.API) // registers operations
	Feed     *Feed
	Messages *Messages
	Upload   *Upload
	Tick     *Tick

	// CatchAll is set for exactly one function with HTTP: a front door sends it every path that is no other function's
	// route.
	CatchAll bool

	// Progress is set for a function with HTTP that reports how far background work has come. That work, which waits
	// for other requests to end (Platform.Calm), does not wait for requests to this function.
	Progress bool

	// Outside is set for a function that tries the platform as its users do. It runs only where a setting asks for it
	// (Addresses.Canary). Its errors say something of the platform and not of its own version, so new versions of it
	// come into use at once.
	Outside bool

	Needs   []Need
	Timeout time.Duration // after which its host ends a call
	Memory  int           // MB, on AWS

	// On AWS, how many calls of the function can always run side by side. No other function uses them up, and this one
	// gets no more. 0: it shares what the account has left.
	ReservedConcurrency int
}

// Feed is the trigger of a function that is handed what changes in the main table.
type Feed struct {
	Batch    int           // the most changes handed over at once
	Window   time.Duration // on AWS: how long a batch waits to be full
	Parallel int           // on AWS: how many batches of a shard are handled side by side; those of one key in turn
	Retries  int           // on AWS: how often a change that fails is handed over again before it is given up
	MaxAge   time.Duration // on AWS: how old it may be then; the stream forgets a change after 24 hours
	// Handler is asked for once by each host. Of the changes that it is given the first done are handled.
	Handler func(p *Platform) func(ctx context.Context, changes []events.Change) (done int, err error)
}

// Messages is the trigger of a function that is handed what comes in queues.
type Messages struct {
	From []Queue
	// Handler is asked for once by each host, whatever the number of queues. Messages that are not among the failed are
	// handled; those are handed over once more.
	Handler func(p *Platform) func(ctx context.Context, messages []queue.Received) (failed []queue.Received)
	// Refill puts into the queues what they ought to hold, at most so many messages at a time. It is for queues that
	// forget when their process ends, or that drop what they have no room for.
	Refill func(ctx context.Context, p *Platform, most int) error
}

// Queue is a queue that a function receives from, and its settings on both hosts.
type Queue struct {
	Resource    Resource
	Visibility  time.Duration // how long a message is on loan
	MaxReceives int           // how often one is handed over before it is a dead letter
	Batch       int           // on AWS: the most messages handed over at once
	Window      time.Duration // on AWS: how long a batch waits to be full; a second at least if it has more than ten
	Parallel    int           // on AWS: batches that are handled side by side
	AlarmAfter  time.Duration // on AWS: an alarm rings when the oldest message has waited for longer
}

// Settings are the queue's, by the name of its resource.
func (q Queue) Settings() queue.Settings {
	name := string(q.Resource)
	return queue.Settings{Name: name, Visibility: q.Visibility, MaxReceives: q.MaxReceives, DeadLetter: name + "-dead"}
}

// QueuesOf are those that functions of a list receive from.
func QueuesOf(list []Function) (all []Queue) {
	for _, f := range list {
		if f.Messages != nil {
			all = append(all, f.Messages.From...)
		}
	}
	return all
}

// FollowerOf is the name by which a function of a list that is fed follows the main table's feed in the same process:
// "" for the first one, else its own. Followers are the names of all but the first.
func FollowerOf(list []Function, name string) string {
	if slices.Contains(Followers(list), name) {
		return name
	}
	return ""
}

// Followers are the names by which functions of a list follow the main table's feed beside the first one.
func Followers(list []Function) (names []string) {
	for _, f := range list {
		if f.Feed != nil {
			names = append(names, f.Name)
		}
	}
	return names[min(len(names), 1):]
}

// Upload is the trigger of a function that is handed the keys of objects that were put into the bucket.
type Upload struct {
	Prefix string        // how the keys begin
	Margin time.Duration // how long before a call's deadline the handler stops, to hand on what is left
	// Handler is asked for once by each host. After an error it is handed the same key once more.
	Handler func(p *Platform) func(ctx context.Context, key string) error
	// MayUpload is nil while a file may be put under the key: for a host that receives files itself.
	MayUpload func(ctx context.Context, p *Platform, key string) error
}

// Tick is the trigger of a function that the clock runs.
type Tick struct {
	Every             time.Duration // from the start of one run to that of the next
	EveryInOneProcess time.Duration // the same in the one process, from the end of one run; 0: Every
	Handler           func(p *Platform) func(context.Context) error
	// Next is how long it takes until something is due that a run does; 0: nothing is. nil: no run does such things. A
	// host asks that moves its clock on (one process, not production).
	Next func(ctx context.Context, p *Platform) (time.Duration, error)
}

// Resource is something that the stack makes and functions are granted.
type Resource string

// The resources.
const (
	Main     Resource = "main"
	Pipeline Resource = "pipeline"
	Counters Resource = "counters"
	Fresh    Resource = "fresh"
	Retry    Resource = "retry"
	Secrets  Resource = "secrets" // the platform's own secret
	Signing  Resource = "signing" // the keys that sign webhooks
	Files    Resource = "files"
)

// Need is a grant: what a function does to a resource. Keys are the partitions of the main table, or the names of
// files, that it does it to, if they are few; in a key a star stands for anything, a question mark for one character.
// Numbers are the numbers of an item that it notes.
type Need struct {
	Resource Resource
	Does     []Action
	Keys     []string
	Numbers  []string
}

// Action is what can be done to a resource.
type Action string

// The actions: of tables and files Read and Write, of queues Send (receiving comes with the trigger), of secrets Seal
// and Open. Note is a smaller Write: it sets numbers of items, and puts and deletes none. Admit is what Write is
// without: it writes guarded partitions of the main table.
const (
	Read  Action = "read"
	Write Action = "write"
	Note  Action = "note"
	Admit Action = "admit"
	Send  Action = "send"
	Seal  Action = "seal"
	Open  Action = "open"
)

// ofShop is what the partitions of any shop begin with.
var ofShop = "S#" + strings.Repeat("?", id.Size) + "#"

// The guarded partitions of the main table: by what is in them people and programs are let in. Write of the main table
// is without them, so that a fault in one function cannot let anybody in.
var (
	Tokens        = []string{addon.TokenKey("*").PK}                 // of accesses
	InstallCodes  = []string{addon.InstallCodeKey("*").PK}           // which are exchanged for tokens
	Packages      = []string{addon.PackageKey("*").PK, "PCODE#*"}    // what accesses may do, and who is told
	Developers    = []string{"DEV#*", "DT#*"}                        // and their tokens
	Operators     = []string{"OP#*", "OT#*"}                         // the operator's named tokens
	Admins        = []string{ofShop + "ADMIN#*", ofShop + "ALINK#*"} // of shops, with links by which they set passwords
	AdminSessions = []string{ofShop + "ASESSION#*"}
	Sessions      = []string{ofShop + "SESSION#*"} // of customers
	Links         = []string{ofShop + "LINK#*"}    // by which customers set passwords

	Guarded = slices.Concat(Tokens, InstallCodes, Packages, Developers, Operators, Admins, AdminSessions, Sessions,
		Links)
)

// Admits is the need to write these guarded partitions.
func Admits(partitions ...[]string) Need {
	return Need{Resource: Main, Does: []Action{Admit}, Keys: slices.Concat(partitions...)}
}

// FilesBelow is the need to do this to files whose names begin so.
func FilesBelow(does Action, begins ...string) Need {
	n := Need{Resource: Files, Does: []Action{does}}
	for _, b := range begins {
		n.Keys = append(n.Keys, b+"*")
	}
	return n
}

// noteUse is the need of the frame to note when a token was last used.
var noteUse = Need{Resource: Main, Does: []Action{Note}, Keys: Tokens, Numbers: []string{addon.NumUsed}}

// Frame is what every function with operations of partners needs for the frame around them: tokens, answers stored for
// an Idempotency-Key, limits, cursors. A function with nothing but pages needs none of it.
var Frame = append([]Need{{Resource: Counters, Does: []Action{Read, Write}}, noteUse}, UnlimitedFrame...)

// SearchingFrame is Frame of a function that also finds records by their words.
var SearchingFrame = append([]Need{{Resource: Pipeline, Does: []Action{Read}}}, Frame...)

// UnlimitedFrame is Frame of a function whose callers have no limits: it counts no requests.
var UnlimitedFrame = []Need{
	{Resource: Main, Does: []Action{Read, Write}},
	{Resource: Secrets, Does: []Action{Seal, Open}},
}

// ReadingFrame is Frame for a function that changes nothing. The frame itself notes when a token was last used. The
// platform's own secret is made by others: whoever has a token has it from one of them.
var ReadingFrame = []Need{
	{Resource: Counters, Does: []Action{Read, Write}},
	{Resource: Main, Does: []Action{Read}},
	noteUse,
	{Resource: Secrets, Does: []Action{Open}},
}

// Routes are the paths that a front door sends to the function, each with everything below it: the first segments of
// its operations' routes. The route "/{$}" is "/" alone. A route that begins with a wildcard is left out: the catch-all
// answers it.
func (f Function) Routes() []string {
	if f.HTTP == nil {
		return nil
	}
	a := api.New(api.Config{})
	f.HTTP(&Platform{}, a)
	var routes []string
	seen := map[string]bool{}
	for _, pattern := range a.Patterns() {
		_, path, _ := strings.Cut(pattern, " ")
		if r := group(path); !seen[r] && !strings.Contains(r, "{") {
			seen[r] = true
			routes = append(routes, r)
		}
	}
	return routes
}

// group is the path's first two segments under /api-engine, and of the developers' document, which is not their door's
// to answer; else its first.
func group(path string) string {
	s := strings.Split(strings.Trim(strings.TrimSuffix(path, "{$}"), "/"), "/")
	n := 1
	if s[0] == "api-engine" || path == api.DevelopersDocument {
		n = 2
	}
	return "/" + strings.Join(s[:min(n, len(s))], "/")
}
