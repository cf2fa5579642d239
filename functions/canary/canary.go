// Package canary tries the platform as those do for whom it is there. Every five minutes it changes a product of a shop
// by the API, waits for the webhook of that at a receiver of its own, and opens the product's page: over HTTP, at the
// addresses that everybody has. What no part of the platform can say of itself it sees: that names lead here,
// certificates are good, and all parts work together.
//
// Shop and package are made by the operator and named in the settings; without them there is no canary. The product,
// the signing key and the receiver it makes by the API where there are none. Each run has a token of its own, which is
// revoked at its end.
//
// canary.go has the runs and their steps, http.go how it asks. The receiver is an operation of functions/webhooks.
//
// # Promises
//
//   - It says what is: no request is made a second time, and each has ten seconds.
//   - The first step that fails ends the run. The run's error names the step, so does the log, and an alarm rings when
//     two runs in a row fail, or when there are none for a quarter of an hour.
package canary

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/host"
	"eshop/shared/record/field"
	"eshop/shared/webhook/canaryhook"
	"eshop/shared/webhook/signature"
)

// Function is the canary's place in THE list.
var Function = host.Function{
	Name: "canary",
	Doc:  "Changes, hears and looks at a product every five minutes, from outside.",
	Tick: &host.Tick{Every: 5 * time.Minute, Handler: func(p *host.Platform) func(context.Context) error {
		return (&runner{Platform: p}).run
	}},
	Outside: true,
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}},
		host.Admits(host.Tokens), // its own
		{Resource: host.Secrets, Does: []host.Action{host.Open}},
		{Resource: host.Signing, Does: []host.Action{host.Open}},
	},
	Timeout:             time.Minute,
	Memory:              256,
	ReservedConcurrency: 1,
}

const (
	products  = "/api-engine/products"
	keys      = "/api-engine/webhook-signing-keys"
	receivers = "/api-engine/webhooks"

	productCode = "CANARY"
	productName = "Canary's seed" // as it is on its page, too
	// maxWait is how long a webhook, or the answer to a ping, is waited for. On AWS nearly all come within a second or
	// two.
	maxWait = 20 * time.Second
	look    = 200 * time.Millisecond // between two looks whether it has come
	// tokenLife is for how long the token of a run that nobody ends is good.
	tokenLife = 10 * time.Minute
)

// runner makes the runs of one process.
type runner struct {
	*host.Platform
	mu sync.Mutex
}

// visit is one run: what its steps have found for those after them.
type visit struct {
	*runner
	access  addon.Access
	token   addon.Token
	product string
	trace   events.Trace // of this run's change, and of the webhook of that
	changed time.Time    // when the change was answered
	page    string       // the product's address in the storefront
}

// steps are those of a run, one after the other.
var steps = []struct {
	name string
	do   func(*visit, context.Context) error
}{
	{"access", (*visit).letIn},
	{"product", (*visit).find},
	{"receiver", (*visit).listen},
	{"change", (*visit).change},
	{"webhook", (*visit).hear},
	{"page", (*visit).open},
}

// run makes one run, if there is to be a canary. That the host stops says nothing of the platform.
func (r *runner) run(ctx context.Context) error {
	if r.Canary == "" {
		return nil
	}
	r.mu.Lock() // never two at a time
	defer r.mu.Unlock()
	v := &visit{runner: r, trace: events.Trace(hex.EncodeToString(r.bits()) + "-00")}
	defer v.leave(ctx)
	for _, step := range steps {
		began := time.Now()
		err := step.do(v, ctx)
		switch {
		case err == nil:
			r.Log.InfoContext(ctx, "the canary has done a step", "step", step.name, "took", time.Since(began))
			continue
		case ctx.Err() == context.Canceled:
			return err
		}
		r.Log.ErrorContext(ctx, "the canary failed", "step", step.name, "took", time.Since(began), "error", err)
		r.Figure(host.CanaryFailures, host.Count, 1)
		return fmt.Errorf("the canary failed at %s: %w", step.name, err)
	}
	r.Figure(host.CanaryFailures, host.Count, 0)
	return nil
}

// bits are 16 random bytes.
func (r *runner) bits() []byte {
	b := make([]byte, 16)
	if _, err := io.ReadFull(r.Random, b); err != nil {
		panic("canary: no randomness: " + err.Error())
	}
	return b
}

// letIn finds the access of the named package on the named shop, and makes a token of it.
func (v *visit) letIn(ctx context.Context) (err error) {
	shop, pkg, _ := strings.Cut(v.Canary, "/")
	if v.access, err = addon.On(ctx, v.Main, shop, pkg); err != nil {
		return fmt.Errorf("the package %s is not installed on the shop %s: %w", pkg, shop, err)
	}
	u, over := v.Unit(), field.At(v.Now().Add(tokenLife))
	u.Shop = shop
	v.token, err = v.Addons().NewToken(ctx, u, v.access.ID, &over)
	return err
}

// leave revokes the run's token. One that is left is over soon.
func (v *visit) leave(ctx context.Context) {
	if v.token.ID == "" {
		return
	}
	u := v.Unit()
	u.Shop = v.access.Shop
	if err := v.Addons().RevokeToken(context.WithoutCancel(ctx), u, v.access.ID, v.token.ID); err != nil {
		v.Log.WarnContext(ctx, "the canary's token is not revoked", "error", err)
	}
}

// find finds the product that it changes by its code, and makes it where there is none.
func (v *visit) find(ctx context.Context) error {
	var listed struct{ Items []struct{ ID string } }
	err := v.ask(ctx, "GET "+products+"?code="+productCode, nil, &listed)
	if err != nil || len(listed.Items) > 0 {
		if err == nil {
			v.product = listed.Items[0].ID
		}
		return err
	}
	var made struct{ ID string }
	err = v.ask(ctx, "POST "+products, fields{"code": productCode, "name": productName,
		"priceLevels": []fields{{"level": "default", "price": "1.00"}}}, &made)
	v.product = made.ID
	return err
}

// receiver is as the API answers it.
type receiver struct{ ID, URL, State, LastFailure string }

// listen looks whether the receiver is enabled. Where there is none, it makes one, and the key that signs. One that
// could not be reached for a while, or is at another address than before, it opens again.
func (v *visit) listen(ctx context.Context) error {
	platform, err := host.SecretKey(ctx, v.Main, v.Secrets)
	if err != nil {
		return err
	}
	url := canaryhook.Address(v.BaseURL, platform)
	is, err := v.receiver(ctx)
	at := receivers + "/" + is.ID
	switch {
	case err != nil:
	case is.ID == "":
		if err = v.makeKey(ctx); err == nil {
			err = v.ask(ctx, "POST "+receivers,
				fields{"url": url, "events": []string{"productChange"}}, nil)
		}
	case is.URL != url:
		err = v.ask(ctx, "PATCH "+at, fields{"url": url}, nil)
	case is.State == "unverified":
		err = v.ask(ctx, "POST "+at+"/ping", nil, nil)
	case is.State != "enabled":
		err = v.ask(ctx, "POST "+at+"/enable", nil, nil)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	err = until(ctx, func() (_ bool, err error) {
		is, err = v.receiver(ctx)
		return is.State == "enabled", err
	})
	if errors.Is(err, errWaited) {
		return fmt.Errorf("the receiver is %s after %s, and its last failure %q", is.State, maxWait, is.LastFailure)
	}
	return err
}

// receiver is the package's receiver at the canary's path; an empty one where there is none.
func (v *visit) receiver(ctx context.Context) (receiver, error) {
	var listed struct{ Items []receiver }
	err := v.ask(ctx, "GET "+receivers, nil, &listed)
	for _, r := range listed.Items {
		if strings.Contains(r.URL, canaryhook.Path+"?") {
			return r, err
		}
	}
	return receiver{}, err
}

// makeKey makes the signing key, unless the access has one.
func (v *visit) makeKey(ctx context.Context) error {
	live, err := v.SigningKeys().Live(ctx, v.access.ID)
	if err != nil || len(live) > 0 {
		return err
	}
	return v.ask(ctx, "POST "+keys, nil, nil)
}

// change changes how many of the product there are, to a number that it most probably is not yet: what stays as it is
// is told nobody.
func (v *visit) change(ctx context.Context) error {
	var is struct{ URL string }
	quantity := 1_000 + int(binary.BigEndian.Uint16(v.bits()))
	err := v.ask(ctx, "PATCH "+products+"/"+v.product,
		fields{"stock": fields{"quantity": quantity}}, &is, "Traceparent", v.trace.Parent(v.Random))
	v.changed, v.page = time.Now(), is.URL
	return err
}

// hear waits until the receiver has heard of the change, and holds what it heard against the signing keys, as an add-on
// does.
func (v *visit) hear(ctx context.Context) error {
	var heard *canaryhook.Heard
	err := until(ctx, func() (is bool, err error) {
		heard, err = canaryhook.HeardOf(ctx, v.Main, v.trace)
		return heard != nil, err
	})
	if errors.Is(err, errWaited) {
		return fmt.Errorf("no webhook of the change has come within %s", maxWait)
	}
	if err != nil {
		return err
	}
	v.Figure(host.CanaryHeard, host.Milliseconds, float64(time.Since(v.changed).Milliseconds()))
	live, err := v.SigningKeys().Live(ctx, v.access.ID)
	if err != nil {
		return err
	}
	signed := false
	for _, l := range live {
		signed = signed || signature.Verify(heard.Signature, heard.Timestamp, heard.Body, l.Key)
	}
	if !signed {
		return errors.New("the webhook is not signed with a key of the access")
	}
	if !signature.Fresh(heard.Timestamp, v.Wall()) {
		return errors.New("the webhook's timestamp is more than five minutes off")
	}
	var hook struct {
		Event string
		Data  struct{ Products []struct{ ID string } }
	}
	if err := json.Unmarshal(heard.Body, &hook); err != nil {
		return err
	}
	if p := hook.Data.Products; hook.Event != string(events.ProductChange) || len(p) != 1 || p[0].ID != v.product {
		return fmt.Errorf("the webhook is a %s that is not of the product alone", hook.Event)
	}
	return nil
}

// open opens the product's page as a visitor whom nobody knows.
func (v *visit) open(ctx context.Context) error {
	page, err := v.do(ctx, "GET "+v.page, nil)
	if err == nil && !bytes.Contains(page, []byte(productName)) {
		err = errors.New("the product's page has not its name")
	}
	return err
}

// errWaited says that what was waited for did not come.
var errWaited = errors.New("it has not come in time")

// until looks again and again until it is so, for maxWait at most: then it is errWaited.
func until(ctx context.Context, is func() (bool, error)) error {
	over, every := time.NewTimer(maxWait), time.NewTicker(look)
	defer over.Stop()
	defer every.Stop()
	for {
		if so, err := is(); so || err != nil {
			return err
		}
		select {
		case <-every.C:
		case <-over.C:
			return errWaited
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
