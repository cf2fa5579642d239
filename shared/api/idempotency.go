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
	"time"

	"eshop/events"
	"eshop/shared/guard"
	"eshop/shared/problem"
	"eshop/shared/store"
)

// keyLife is how long the answer under an Idempotency-Key is given again (contract, section 2).
const keyLife = 24 * time.Hour

// idempotency is a request's Idempotency-Key: where its answer is kept, and what the request must be to get it.
type idempotency struct {
	at   store.Key
	hash string // of method, address and body
	kept bool
	was  *store.Item // what was there when the request came; read beside the charge
	err  error
	read chan struct{}
}

// kept is an answer as it is given again.
type keptAnswer struct {
	Status   int             `json:"status"`
	ETag     string          `json:"etag,omitempty"`
	Location string          `json:"location,omitempty"`
	Body     json.RawMessage `json:"body,omitempty"`   // without the line end that every answer has
	Packed   string          `json:"packed,omitempty"` // the body, gzipped, base64: of a long one
}

// errLostKey is a write refused because another request with the same key was first.
var errLostKey = errors.New("api: another request with this Idempotency-Key was first")

// packAbove is the length in bytes from which an answer is kept compressed, so that it fits an item.
const packAbove = 4 << 10

// idempotency begins to look up the request's key, nil when it has none or the method needs none.
func (a *API) idempotency(ctx context.Context, c *Call, r *http.Request) (*idempotency, *problem.Problem) {
	key, has := r.Header["Idempotency-Key"]
	if !has || r.Method != http.MethodPost && r.Method != http.MethodPatch {
		return nil, nil
	}
	if len(key) != 1 || !visible(key[0]) {
		return nil, problem.Invalid(problem.Fault{Location: "header.Idempotency-Key", Code: problem.BadFormat, Message: "must be 1 to 255 visible ASCII characters, given once"})
	}
	sum := sha256.Sum256([]byte(key[0]))
	k := &idempotency{at: store.Key{PK: "IK#" + c.owner() + "#" + hex.EncodeToString(sum[:]), SK: "A"}, read: make(chan struct{})}
	look := func() {
		defer close(k.read)
		defer guard.Caught(ctx, &k.err)
		k.was, k.err = a.kept(ctx, k.at)
	}
	if a.Inline {
		look()
	} else {
		guard.Go(ctx, look)
	}
	return k, nil
}

// owner is whose keys these are: the access's, the operator's, or without a token the address's.
func (c *Call) owner() string {
	switch {
	case c.op.operator():
		return "operator"
	case c.op.Open:
		return "open@" + c.address()
	}
	return c.Access
}

func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 255
}

func (a *API) kept(ctx context.Context, at store.Key) (*store.Item, error) {
	items, err := a.Table.Get(ctx, at)
	if err != nil || items[0].Expired(a.Now().Unix()) {
		return nil, err
	}
	return items[0], nil
}

// claim is what becomes of a request whose body has been read: nil to go on, a replay of the first answer, or the 422 of
// another request under the same key.
func (k *idempotency) claim(c *Call, r *http.Request, body []byte) (*keptAnswer, *problem.Problem) {
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

// answer is the answer in the item, if there is one and it is this request's.
func (k *idempotency) answer(item *store.Item) (*keptAnswer, *problem.Problem) {
	if item == nil {
		return nil, nil
	}
	if item.Text["hash"] != k.hash {
		return nil, problem.Refused("idempotency_key_reused", "This Idempotency-Key was used for another request: use a new one for each.")
	}
	var kept keptAnswer
	if err := json.Unmarshal(item.Doc, &kept); err != nil {
		return nil, problem.Internal()
	}
	return &kept, nil
}

// again looks once more, after another request with the same key was first: its answer, or 409 while there is none.
func (k *idempotency) again(ctx context.Context, a *API) (*keptAnswer, *problem.Problem) {
	item, err := a.kept(ctx, k.at)
	if err != nil {
		return nil, problem.Unavailable(time.Second)
	}
	kept, p := k.answer(item)
	if kept == nil && p == nil {
		return nil, problem.Conflict("idempotency_in_progress", "The first request with this Idempotency-Key is still running: try again.")
	}
	return kept, p
}

// keep is the operation that keeps an answer, on condition that no other was kept meanwhile.
func (k *idempotency) keep(c *Call, answer any) (store.Op, error) {
	kept := keptAnswer{Status: c.op.Status}
	var body any
	switch x := answer.(type) {
	case answered:
		kept.ETag, kept.Location, body = x.answered()
	case *None:
	default:
		body = answer
	}
	if s, is := answer.(interface{ status() int }); is && s.status() != 0 {
		kept.Status = s.status()
	}
	if body != nil {
		var b bytes.Buffer
		if err := writeJSON(&b, body); err != nil {
			return store.Op{}, err
		}
		kept.Body = b.Bytes()
	}
	return k.put(c, kept)
}

func (k *idempotency) put(c *Call, kept keptAnswer) (store.Op, error) {
	if err := kept.strip(c.op.Once); err != nil {
		return store.Op{}, err
	}
	kept.pack()
	var doc bytes.Buffer
	if err := writeJSON(&doc, kept); err != nil {
		return store.Op{}, err
	}
	now := c.Now()
	return store.Put(store.Item{Key: k.at, Doc: doc.Bytes(), Text: map[string]string{"hash": k.hash}, Expires: now.Add(keyLife).Unix()},
		store.Gone(now.Unix())), nil
}

// strip takes out what is shown only once.
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

// remember keeps the answer of an operation that wrote nothing of its own with it: a ping, a batch of unchanged items.
func (k *idempotency) remember(ctx context.Context, c *Call, o *out) error {
	op, err := k.put(c, keptAnswer{Status: o.status, ETag: o.header.Get("ETag"), Location: o.header.Get("Location"), Body: bytes.Clone(o.body.Bytes())})
	if err != nil {
		return err
	}
	if _, err = c.api.Table.Write(ctx, events.Nothing, op); store.IsCondition(err) {
		return errLostKey
	}
	return err
}
