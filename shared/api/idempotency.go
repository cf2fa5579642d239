package api

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"time"

	"eshop/events"
	"eshop/shared/base/guard"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// idempotency is a request's Idempotency-Key (contract, "Idempotency"): where its answer is kept, and what a request
// must be to get that answer.
//
// The answer is kept in the operation's own last transaction, so it is kept if and only if the operation was done. Of
// two requests with one key that run at once, one writes; the other's write fails, and it gives the first one's answer.
type idempotency struct {
	at   store.Key
	hash string        // of method, address and body
	held bool          // this request holds the key until it keeps its answer
	kept bool          // the answer was kept in the operation's own transaction
	was  *store.Item   // what was there when the request came; read beside the charge
	err  error         // of that
	read chan struct{} // closed when was and err are there
}

// maxKey is how many characters an Idempotency-Key can have.
const maxKey = 255

// keptAnswer is an answer as it is given again.
type keptAnswer struct {
	Status   int             `json:"status"`
	ETag     string          `json:"etag,omitempty"`
	Location string          `json:"location,omitempty"`
	Body     json.RawMessage `json:"body,omitempty"`   // without the line end that every answer has
	Packed   string          `json:"packed,omitempty"` // the body, gzipped, base64: of a long one
	Brief    json.RawMessage `json:"brief,omitempty"`  // the body for a caller without the operation's read permission
	Reread   string          `json:"reread,omitempty"` // the path of the record, whose body is too large to be kept
	IDs      []string        `json:"ids,omitempty"`    // of that record's parts, where the answer was some of them
}

// errKeyLost is a write refused because another request with the same key was first.
var errKeyLost = errors.New("api: another request with this Idempotency-Key was first")

// packAbove is the length in bytes from which an answer is kept compressed, so that it fits an item.
const packAbove = 4 << 10

// mostKept is how many bytes a compressed body may have and still be kept. An item of a table has room for 400 KiB.
const mostKept = 256 << 10

// idempotency begins to look up the request's key. It is nil if the request has no key, or the operation takes none.
func (a *API) idempotency(c *Call) (*idempotency, error) {
	key, has := c.r.Header["Idempotency-Key"]
	if !has || !c.op.keepsAnswer() {
		return nil, nil
	}
	if len(key) != 1 || !visible(key[0]) {
		return nil, problem.Invalid(problem.Fault{Location: "header.Idempotency-Key", Code: problem.BadFormat,
			Message: "must be 1 to 255 visible ASCII characters, given once"})
	}
	sum := sha256.Sum256([]byte(key[0]))
	at := store.Key{PK: "IK#" + c.owner() + "#" + hex.EncodeToString(sum[:]), SK: "A"}
	k := &idempotency{at: at, read: make(chan struct{})}
	// A store that is not near is asked while the body is read.
	lookUp := func() {
		defer close(k.read)
		defer guard.Caught(c, &k.err)
		k.was, k.err = a.lookUpKey(c, k.at)
	}
	if a.Near {
		lookUp()
	} else {
		guard.Go(c, lookUp)
	}
	return k, nil
}

// keepsAnswer says whether the operation's answer is kept under an Idempotency-Key.
func (o *operation) keepsAnswer() bool {
	return (o.method == http.MethodPost || o.method == http.MethodPatch) && !o.NeverKept
}

// owner is whose keys these are: the access's, the operator's, the developer's, the visitor's; without a token the
// address's.
func (c *Call) owner() string {
	switch c.op.audience {
	case forPeople:
		return c.Owner
	case forAccesses:
		return c.Access
	case forOperator:
		return c.operator()
	case forDeveloper:
		return "developer@" + c.Developer
	default:
		return "open@" + c.Address()
	}
}

// operator is whose keys those of one of the operator's tokens are.
func (c *Call) operator() string {
	if c.Operator == change.FirstToken {
		return "operator" // as in rows of the releases before there were others
	}
	return "operator@" + c.Operator
}

// visible says whether a key is 1 to 255 characters of visible ASCII (contract, "Idempotency").
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= maxKey
}

// lookUpKey reads what is kept under a key; nil if there is nothing, or nothing any more.
func (a *API) lookUpKey(ctx context.Context, at store.Key) (*store.Item, error) {
	items, err := a.Table.Get(ctx, at)
	if err != nil || items[0].Expired(a.Now().Unix()) {
		return nil, err
	}
	return items[0], nil
}

// first is the first answer under the key. It is nil if there is none: then the operation is to be done. If the key was
// used for another request, it refuses this one.
func (k *idempotency) first(r *http.Request, body []byte) (*keptAnswer, error) {
	h := sha256.New()
	io.WriteString(h, r.Method+"\n"+r.URL.RequestURI()+"\n")
	h.Write(body)
	k.hash = hex.EncodeToString(h.Sum(nil))
	<-k.read
	if k.err != nil {
		return nil, problem.Unavailable(time.Second)
	}
	return k.answer(k.was)
}

// answer is the answer in the item, if it is this request's. It is 409 while the request that holds the key has not
// answered.
func (k *idempotency) answer(item *store.Item) (*keptAnswer, error) {
	if item == nil {
		return nil, nil
	}
	if item.Text["hash"] != k.hash {
		return nil, problem.Refused("idempotency_key_reused",
			"This Idempotency-Key was used for another request: use a new one for each.")
	}
	if len(item.Doc) == 0 {
		return nil, inProgress()
	}
	var kept keptAnswer
	if err := json.Unmarshal(item.Doc, &kept); err != nil {
		return nil, err
	}
	return &kept, nil
}

// conclude ends a request under the key by how its operation ended. err is why it has no answer.
//
//	the operation                                  what the request is answered
//	has kept its answer in its own transaction     that, or err
//	has an answer that the limit still refuses     429 (finish); not kept: a repetition must be able to succeed
//	has an answer, which is kept now               that
//	failed with 400, 401 or 403                    err: these are final, whatever is stored
//	failed otherwise                               the answer of another request, if one was first; else err: a 404,
//	                                               409, 412 or 422 may come of what that one has written
//	lost the key to another request (errKeyLost)   the other's answer; 409 while it has none
func (k *idempotency) conclude(c *Call, res *response, err error) error {
	if k.held && !k.kept {
		k.release(c)
	}
	switch {
	case k.kept:
		return err
	case err == nil && c.charge.wait(c) != nil:
		return nil
	case err == nil:
		if err = k.remember(c, res); !errors.Is(err, errKeyLost) {
			return err
		}
	case !errors.Is(err, errKeyLost):
		p := c.Problem(err)
		if p.Status < http.StatusNotFound {
			return p
		}
		err = p
	}
	first, missing := k.lookUpAgain(c, c.api)
	switch {
	case first != nil:
		return res.replay(c, first, c.op.CompleteReplay)
	case errors.Is(err, errKeyLost):
		return missing
	}
	return err
}

// lookUpAgain looks the key up once more: 409 while there is no answer.
func (k *idempotency) lookUpAgain(ctx context.Context, a *API) (*keptAnswer, error) {
	item, err := a.lookUpKey(ctx, k.at)
	if err != nil {
		return nil, problem.Unavailable(time.Second)
	}
	kept, err := k.answer(item)
	if kept == nil && err == nil {
		err = inProgress()
	}
	return kept, err
}

// inProgress is the refusal of a request whose key's first request is still running.
func inProgress() *problem.Problem {
	return problem.Conflict("idempotency_in_progress",
		"The first request with this Idempotency-Key is still running: try again.")
}

// hold is the operation that holds the key for a request of several transactions, which may take as long as life. Until
// then other requests under the key are refused. It fails if another request has the key.
func (k *idempotency) hold(c *Call, life time.Duration) store.Op {
	now := c.Now()
	return store.Put(store.Item{Key: k.at, Text: map[string]string{"hash": k.hash, holder: c.Request},
		Expires: now.Add(life).Unix()}, store.Gone(now.Unix()))
}

// holder is the text with the id of the request that holds the key.
const holder = "request"

// release lets the key go if the request that held it ends without an answer: so it can be sent again at once. If that
// fails, the key is free when the request's life is over.
func (k *idempotency) release(c *Call) {
	_, _ = c.api.Table.Write(c, events.Nothing, store.Delete(k.at, store.TextIs(holder, c.Request)))
}

// keep is the operation that keeps an answer, on condition that no other was kept meanwhile. For a form the answer is
// where it leads.
func (k *idempotency) keep(c *Call, r reply) (store.Op, error) {
	var res response
	res.header = http.Header{}
	if c.WantsPage() {
		res.show(c, Outcome{Body: r.body})
	} else if err := res.answer(c.op, r); err != nil {
		return store.Op{}, err
	}
	return k.put(c, &res)
}

// put is the operation that keeps an answer under its key, without the fields that are shown once. If the first request
// still holds the key, only it may do that; else the key must be free.
func (k *idempotency) put(c *Call, res *response) (store.Op, error) {
	kept := keptAnswer{Status: res.status, ETag: res.header.Get("ETag"), Location: res.header.Get("Location"),
		Body: bytes.Clone(res.body.Bytes())}
	if err := kept.strip(c.op.Once); err != nil {
		return store.Op{}, err
	}
	kept.pack()
	if len(kept.Packed) > mostKept {
		kept.leaveOut(c, res.body.Bytes())
	}
	var err error
	if res.brief != nil {
		if kept.Brief, err = json.Marshal(res.brief); err != nil {
			return store.Op{}, err
		}
	}
	var doc bytes.Buffer
	if err := writeJSON(&doc, kept); err != nil {
		return store.Op{}, err
	}
	now := c.Now()
	item := store.Item{Key: k.at, Doc: doc.Bytes(), Text: map[string]string{"hash": k.hash},
		Expires: now.Add(change.KeyLife).Unix()}
	if res.person != "" {
		item.Index2 = store.Key{PK: change.KeptAbout(res.person), SK: k.at.PK}
	}
	// A key that this request holds is replaced only while the request still holds it.
	if k.held {
		return store.Put(item, store.TextIs(holder, c.Request)), nil
	}
	return store.Put(item, store.Gone(now.Unix())), nil
}

// strip takes out what is shown only once: a secret must not lie in a kept answer.
func (a *keptAnswer) strip(once []string) error {
	if len(once) == 0 || len(a.Body) == 0 {
		return nil
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(a.Body, &m); err != nil {
		return err
	}
	for _, name := range once {
		delete(m, name)
	}
	b, err := json.Marshal(m)
	a.Body = b
	return err
}

// pack compresses a long body.
func (a *keptAnswer) pack() {
	if len(a.Body) < packAbove {
		return
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(a.Body)
	z.Close()
	a.Body, a.Packed = nil, base64.StdEncoding.EncodeToString(b.Bytes())
}

// leaveOut keeps, of a body that is too large, where its record is read again: at the answer's Location, at the
// operation's own address, or above it if the answer was parts of a record. Any other answer stays: it fits.
func (a *keptAnswer) leaveOut(c *Call, body []byte) {
	if len(c.op.Once) > 0 || c.op.CompleteReplay != nil {
		return
	}
	at := c.r.URL.Path
	switch {
	case a.Location != "":
		at = a.Location
	case c.op.Among != nil:
		at = path.Dir(at)
		var answer struct{ Items []struct{ ID string } }
		if json.Unmarshal(body, &answer) != nil {
			return
		}
		for _, part := range answer.Items {
			a.IDs = append(a.IDs, part.ID)
		}
	}
	if reader := c.reader(at); reader != nil {
		a.Reread, a.Packed = at, ""
	}
}

// reader is the call as one that reads what is at a path; nil if no operation answers JSON there.
func (c *Call) reader(at string) *Call {
	r := c.r.Clone(c)
	r.Method, r.URL = http.MethodGet, &url.URL{Path: at}
	reader := *c
	reader.r, reader.op, reader.query, reader.sent, reader.key = r, c.api.at(r), nil, nil, nil
	if reader.op == nil || reader.op.kind != kindData || !reader.split() {
		return nil
	}
	return &reader
}

// reread gives the answer the body and the ETag of its record as that is now.
func (a *keptAnswer) reread(c *Call) error {
	reader := c.reader(a.Reread)
	if reader == nil {
		return problem.NotFound()
	}
	now, err := reader.op.handle(reader)
	if err != nil {
		return err
	}
	a.ETag = now.etag
	if len(a.IDs) > 0 {
		now.body = c.op.Among(now.body, a.IDs)
	}
	a.Body, err = json.Marshal(now.body)
	return err
}

// body is the body as it was sent.
func (a *keptAnswer) body() ([]byte, error) {
	if a.Packed == "" {
		return a.Body, nil
	}
	b, err := base64.StdEncoding.DecodeString(a.Packed)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// remember keeps the answer of an operation that wrote nothing with which it could be kept: a ping, a batch of
// unchanged items.
func (k *idempotency) remember(c *Call, res *response) error {
	op, err := k.put(c, res)
	if err != nil {
		return err
	}
	if _, err = c.api.Table.Write(c, events.Nothing, op); store.IsCondition(err) {
		return errKeyLost
	}
	if err != nil {
		return problem.Unavailable(time.Second)
	}
	return nil
}
