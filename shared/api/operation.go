package api

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/record/change"
)

// Op describes an operation.
type Op struct {
	Route   string // "PATCH /api-engine/customers/{id}": the ServeMux pattern and the OpenAPI path at once
	ID      string // the OpenAPI operationId: "changeCustomer"
	Summary string // one sentence
	Doc     string // more of it, Markdown
	Tag     string // the resource: "Customers"
	Status  int    // of success; 0: 201 for POST, 204 for DELETE, else 200
	Query   []Param

	Needs permission.Permission // "": any token of an active access
	Reads permission.Permission // of a PATCH: who lacks it is answered id and changed only
	// Asks is, beside Needs, the permission that this query needs and the caller lacks; "" none.
	Asks func(c *change.Caller, q url.Values) permission.Permission
	Open bool  // no token is needed
	Rate int64 // of an Open one: requests a second of each address, then 429; 0: any. People's operations have none

	MaxBody int64                   // bytes; 0: 1 MiB, of an operation for strangers 64 KiB
	TooMany func() *problem.Problem // the 413 of more items than the body takes; nil: a 422 as of any other fault
	Apart   map[string]string       // by field of the answer: why the body does not take it; else the platform makes it
	Refuses []int                   // statuses of problems that only this operation has: 410
	Matches bool                    // of a path without an id, or a POST: it changes what has an ETag for If-Match
	Once    []string                // top-level fields of the answer that are not kept: a replay leaves them out

	// CompleteReplay completes a kept body before it is given again: it derives anew what Once kept out of the store.
	// If it returns an error, that is the answer: this caller may not have the kept one any more.
	CompleteReplay func(c *Call, body []byte) ([]byte, error)
	// Among are the parts with these ids of the record that a GET of the path above answers: the body of a replay where
	// the operation has answered parts that were too many to be kept.
	Among func(record any, ids []string) any
	// Data is of a GET of records, or of one, beside which packages keep data (AddData): it takes dataParam.
	Data events.RecordKind
	// NeverKept is an operation whose answer is not given again, whatever Idempotency-Key comes with it: it begins or
	// ends what a cookie holds, which a kept answer could not.
	NeverKept bool

	People *People // of an operation that people's browsers may ask for, too; it is Open by that
}

// operation is an Op as the chain needs it.
type operation struct {
	Op
	kind         kind
	audience     audience // who may ask for it
	area         audience // whose API its path lies in, whoever may ask for it; forAnyone: in none
	document     bool     // of HandleDocument
	streams      bool     // of Receive, which holds nothing of its body
	method, path string
	ids          []int // which parts of the path are ids
	slug         bool  // the last part is the slug of a page, which is no secret once there is the page
	input        input
	answerSchema *huma.Schema               // of the answer's body, for the check of fields
	handle       func(*Call) (reply, error) // nil of kindHandler, which the mux calls
}

// kind is what an operation answers with. It decides what the chain reads and checks for it.
type kind int

const (
	kindNone    kind = iota // of an address that no operation answers
	kindHandler             // of Handle: an http.Handler, which reads and checks its request itself
	kindData                // of Add: JSON; of an operation with People a page to who wants one
	kindPage                // of AddPage: a page to whoever asks, even of a refusal; its input is checked as data's is
	kindView                // of AddView: a page; nothing of its input is checked, and a program gets refusals as JSON
)

// onlyPages says whether the operation has no JSON to answer with.
func (k kind) onlyPages() bool { return k == kindPage || k == kindView }

// checksQuery says whether unknown parameters in the query are refused. A page that shows data ignores them, because
// people come with whatever others have put behind its address.
func (k kind) checksQuery(wantsPage bool) bool { return k == kindPage || k == kindData && !wantsPage }

// audience is who may ask for an operation. It decides how they are known, what limits them, and whose Idempotency-Keys
// are theirs.
type audience int

const (
	forAnyone    audience = iota // no token: only the address is counted, when the operation has a Rate
	forPeople                    // whoever People.Enter lets in
	forAccesses                  // the token of an access, by whose limits the request is charged
	forOperator                  // the operator's token
	forDeveloper                 // the token of a developer
)

// areaOf is whose API a path lies in, one that no operation answers, too: those are for programs alone. No page lies
// there, and nothing that a form sends to it is read. Answers of that of accesses show their limits and its version.
func areaOf(path string) audience {
	for _, area := range []struct {
		path     string
		audience audience
	}{{"/api-engine", forAccesses}, {"/operator", forOperator}, {"/developer", forDeveloper}} {
		if path == area.path || strings.HasPrefix(path, area.path+"/") {
			return area.audience
		}
	}
	if strings.HasPrefix(path, "/basket-price-") {
		return forAccesses
	}
	return forAnyone
}

// nowhere are the operations of addresses that none answers, by their areas.
var nowhere = [...]*operation{forAnyone: {}, forAccesses: {audience: forAccesses, area: forAccesses},
	forOperator: {audience: forOperator, area: forOperator}, forDeveloper: {audience: forDeveloper, area: forDeveloper}}

// How many bytes a body has at most where its operation says nothing (contract, "Bounds"). Strangers are those who have
// no token and are not signed in: what they hold of the memory is little, however many they are.
const (
	defaultMaxBody   = 1 << 20
	strangersMaxBody = 64 << 10
)

// newOperation is an operation with the defaults of what its Op leaves open.
func newOperation(k kind, op Op) *operation {
	method, path, ok := strings.Cut(op.Route, " ")
	if !ok {
		panic("api: a route is \"METHOD /path\", not " + op.Route)
	}
	o := &operation{Op: op, kind: k, method: method, path: path, area: areaOf(path),
		slug: strings.HasSuffix(path, "/{slug}")}
	switch {
	case o.People != nil:
		o.audience = forPeople
	case !o.Open:
		o.audience = o.area
	}
	switch {
	case o.Status != 0:
	case method == http.MethodPost:
		o.Status = http.StatusCreated
	case method == http.MethodDelete:
		o.Status = http.StatusNoContent
	default:
		o.Status = http.StatusOK
	}
	switch {
	case o.MaxBody != 0:
	case o.audience == forAnyone, o.audience == forPeople && !o.People.SignedIn:
		o.MaxBody = strangersMaxBody
	default:
		o.MaxBody = defaultMaxBody
	}
	for i, part := range strings.Split(path, "/") {
		if part == "{id}" || strings.HasSuffix(part, "Id}") {
			o.ids = append(o.ids, i)
		}
	}
	return o
}

// readInput reads from the type of the handler's input what the operation takes.
func (o *operation) readInput(a *API, t reflect.Type) {
	o.input = newInput(a.schemas(), t, o)
	if o.Data != "" {
		o.Query = append(slices.Clip(o.Query), dataParam)
	}
	for _, p := range o.Query {
		o.input.query[p.Name] = parameter{schema: p.schema()}
	}
}
