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
	"net/http"
	"net/url"
	"time"

	"eshop/events"
	"eshop/shared/canary"
	"eshop/shared/host"
	"eshop/shared/signature"
)

const (
	products  = "/api-engine/products"
	orders    = "/api-engine/orders"
	receivers = "/api-engine/webhooks"

	productName = "Canary's seed" // as it is on its page, too
	// maxWait is how long a webhook, or the answer to a ping, is waited for. On AWS nearly all come within a second or
	// two.
	maxWait = 20 * time.Second
	look    = 200 * time.Millisecond // between two looks whether it has come
)

// visit is one run: what the canary has, and what the steps have found for those after them.
type visit struct {
	*runner
	trace   events.Trace // of this run's change, and of the webhook of that
	changed time.Time    // when the change was answered
	shown   *url.URL     // the product's page in the storefront
	buyer   asker
	bought  struct{ OrderID, Number string }
}

// newTrace is a trace of no other run's, which nobody records.
func newTrace(random io.Reader) events.Trace {
	return events.Trace(hex.EncodeToString(bits(random)) + "-00")
}

// bits are 16 random bytes.
func bits(random io.Reader) []byte {
	b := make([]byte, 16)
	if _, err := io.ReadFull(random, b); err != nil {
		panic("canary: no randomness: " + err.Error())
	}
	return b
}

// receiver looks whether the receiver is enabled. After a while in which it could not be reached, or at another address
// than before, it is not: then this run opens it again.
func (v *visit) receiver(ctx context.Context) error {
	at := v.BaseURL + receivers + "/" + v.own.Receiver
	var is struct{ URL, State string }
	if err := v.program().ask(ctx, http.StatusOK, "GET "+at, nil, &is); err != nil {
		return err
	}
	var err error
	switch {
	case is.URL != v.address():
		err = v.program().ask(ctx, http.StatusOK, "PATCH "+at, fields{"url": v.address()}, nil)
	case is.State == "unverified":
		err = v.program().ask(ctx, http.StatusAccepted, "POST "+at+"/ping", nil, nil)
	case is.State != "enabled":
		err = v.program().ask(ctx, http.StatusOK, "POST "+at+"/enable", nil, nil)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	return v.enabled(ctx)
}

// enabled waits until the receiver is.
func (v *visit) enabled(ctx context.Context) error {
	var is struct{ State, LastFailure string }
	err := until(ctx, func() (bool, error) {
		err := v.program().ask(ctx, http.StatusOK, "GET "+v.BaseURL+receivers+"/"+v.own.Receiver, nil, &is)
		return is.State == "enabled", err
	})
	if errors.Is(err, errWaited) {
		return fmt.Errorf("the receiver is %s after %s, and its last failure %q", is.State, maxWait, is.LastFailure)
	}
	return err
}

// change changes how many of the product there are, to a number that it most probably is not yet: what stays as it is
// is told nobody.
func (v *visit) change(ctx context.Context) error {
	var is struct{ URL string }
	quantity := 1_000 + binary.BigEndian.Uint16(bits(v.Random))
	program := v.program()
	program.header.Set("Traceparent", v.trace.Parent(v.Random))
	err := program.ask(ctx, http.StatusOK, "PATCH "+v.BaseURL+products+"/"+v.own.Product,
		fields{"stock": fields{"quantity": quantity}}, &is)
	if err != nil {
		return err
	}
	v.changed = time.Now()
	if v.shown, err = url.Parse(is.URL); err == nil && v.shown.Host == "" {
		err = errors.New("the product is answered with no address of its page")
	}
	return err
}

// webhook waits until the receiver has heard of the change, and holds what it heard against the signing key, as an
// add-on does.
func (v *visit) webhook(ctx context.Context) error {
	var heard *canary.Heard
	err := until(ctx, func() (is bool, err error) {
		heard, err = canary.HeardOf(ctx, v.Main, v.trace)
		return heard != nil, err
	})
	if errors.Is(err, errWaited) {
		return fmt.Errorf("no webhook of the change has come within %s", maxWait)
	}
	if err != nil {
		return err
	}
	v.Figure(host.CanaryHeard, host.Milliseconds, float64(time.Since(v.changed).Milliseconds()))
	key, err := signature.Parse(v.own.Key)
	if err != nil {
		return err
	}
	if !signature.Fresh(heard.Timestamp, v.Wall()) ||
		!signature.Verify(heard.Signature, heard.Timestamp, heard.Body, key) {
		return errors.New("the webhook is not signed with the access's key")
	}
	var hook struct {
		Event string
		Data  struct{ Products []struct{ ID string } }
	}
	if err := json.Unmarshal(heard.Body, &hook); err != nil {
		return err
	}
	if p := hook.Data.Products; hook.Event != string(events.ProductChange) || len(p) != 1 || p[0].ID != v.own.Product {
		return fmt.Errorf("the webhook is a %s that is not of the product alone", hook.Event)
	}
	return nil
}

// page looks at the product as a new visitor of the shop.
func (v *visit) page(ctx context.Context) error {
	v.buyer = v.shopper()
	page, err := v.buyer.do(ctx, http.StatusOK, "GET "+v.shown.String(), nil)
	if err == nil && !bytes.Contains(page, []byte(productName)) {
		err = errors.New("the product's page has not its name")
	}
	return err
}

// basket puts one into the visitor's basket.
func (v *visit) basket(ctx context.Context) error {
	return v.buyer.ask(ctx, http.StatusCreated, "POST "+v.at("/basket/items"),
		fields{"productId": v.own.Product, "quantity": 1}, nil)
}

// at is an address of the storefront.
func (v *visit) at(path string) string { return v.shown.Scheme + "://" + v.shown.Host + path }

// checkout orders what is in the basket. The buyer is made up.
func (v *visit) checkout(ctx context.Context) error {
	return v.buyer.ask(ctx, http.StatusCreated, "POST "+v.at("/checkout"),
		fields{"email": "canary@" + v.own.Domain, "firstName": "Canary", "lastName": "Bird",
			"phone":          "+420 000 000 000",
			"billingAddress": fields{"street": "Cage 1", "city": "Mine", "zip": "100 00", "country": "CZ"}}, &v.bought)
}

// order finds the order by the API.
func (v *visit) order(ctx context.Context) error {
	var is struct{ Number string }
	err := v.program().ask(ctx, http.StatusOK, "GET "+v.BaseURL+orders+"/"+v.bought.OrderID, nil, &is)
	if err == nil && is.Number != v.bought.Number {
		err = fmt.Errorf("the order has number %q by the API, and %q at its checkout", is.Number, v.bought.Number)
	}
	return err
}

// cancel cancels the order, which puts the product back.
func (v *visit) cancel(ctx context.Context) error {
	return v.program().ask(ctx, http.StatusOK, "PATCH "+v.BaseURL+orders+"/"+v.bought.OrderID,
		fields{"stateId": v.own.Cancelled}, nil)
}

// errWaited is what was waited for in vain.
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
