package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/guard"
	secretfile "eshop/shared/ports/secret/file"
	"eshop/shared/webhook/signature"
)

// entry is a record's change in the change feed.
type entry struct {
	Type      events.RecordKind
	ID        string
	Variants  []string `json:"variantIds"`
	Change    events.Did
	Groups    []events.Group
	Version   string
	At        time.Time
	By        events.By
	RequestID string
}

// listen follows the change feed from now on, and posts each change to opts.to as the platform would post a webhook:
// signed, one call for each request and event. So developers see webhooks at an address on their own machine, which the
// platform may not call. Without an address it shows them.
//
// Each call is made once, and the receiver's answer is shown. A feed that cannot be read for a moment is asked again; a
// refusal that would be repeated (4xx but 429) ends the command.
func listen(ctx context.Context, c *client, opts options) error {
	listener, err := opts.listener()
	if err != nil {
		return err
	}
	status, err := ask[struct{ Version string }](ctx, c, "GET", "/api-engine/status", nil)
	if err != nil {
		return err
	}
	shop, err := ask[struct{ ID string }](ctx, c, "GET", "/api-engine/shop", nil)
	if refused, is := errors.AsType[*refusal](err); err != nil && !(is && refused.status == http.StatusForbidden) {
		return err // else its shopId is ""
	}
	at, err := ask[page[entry]](ctx, c, "GET",
		"/api-engine/changes?itemsPerPage=250&from="+url.QueryEscape(c.at.UTC().Format(time.RFC3339)), nil)
	if err != nil {
		return err
	}
	if opts.to == "" {
		opts.tell(object{"following": c.url}, "Following %s. To change something: eshop trigger productChange", c.url)
	} else {
		opts.tell(object{"following": c.url, "to": opts.to}, "Following %s, posting to %s.", c.url, opts.to)
		listener.tellKey()
	}
	listener.shop, listener.version = shop.ID, status.Version
	for {
		for _, change := range changes(at.Items) {
			listener.post(ctx, change)
		}
		last := at.NextCursor
		if at, err = ask[page[entry]](ctx, c, "GET", "/api-engine/changes?itemsPerPage=250&cursor="+last,
			nil); err != nil {
			if err := listener.passing(ctx, err); err != nil {
				return err
			}
			at = page[entry]{NextCursor: last}
		}
		// A page with changes is followed by the next one at once: there may be more.
		if len(at.Items) == 0 && !guard.Wait(ctx, opts.Every) {
			return nil
		}
	}
}

// heard is a change, and who did it.
type heard struct {
	events.Change
	by events.By
}

// changes puts the entries of one request together, in their order.
//
// RequestID alone does not tell requests apart, because the caller chooses it. So another moment, or a record that the
// request has changed already, begins another request. The webhook ids of two requests differ all the same: they are
// made from the first record's version, which no other change has.
func changes(entries []entry) (all []heard) {
	type record struct {
		kind events.RecordKind
		id   string
	}
	var last entry
	var seen map[record]bool // the records of the last change
	for _, one := range entries {
		of := record{one.Type, one.ID}
		if len(all) == 0 || last.RequestID != one.RequestID || last.By != one.By || !last.At.Equal(one.At) || seen[of] {
			all = append(all, heard{events.Change{Request: one.Version, ClientRequest: one.RequestID,
				At: one.At.UnixMilli()}, one.By})
			seen = map[record]bool{}
		}
		last, seen[of] = one, true
		c := &all[len(all)-1]
		c.Records = append(c.Records, events.Record{Kind: one.Type, ID: one.ID, Did: one.Change, Variants: one.Variants,
			Groups: one.Groups, Version: one.Version})
	}
	return all
}

// listener posts changes to a receiver.
type listener struct {
	options
	key           signature.Key
	shop, version string
}

// listener is the poster of calls with the key of the options, or the user's own.
func (o options) listener() (l listener, err error) {
	l.options = o
	l.key, err = o.signingKey()
	return l, err
}

// keyFile is where the user's own signing key is, in the folder of their settings.
const keyFile = "listen.key"

// signingKey is the key of the options, or the user's own, which is made once: a receiver that was started with it
// knows the next run's, too. Without a folder for settings it is a new one each time.
func (o options) signingKey() (key signature.Key, err error) {
	if o.key != "" {
		return signature.Parse(o.key)
	}
	if o.Config != "" {
		if kept, err := secretfile.Read(filepath.Join(o.Config, keyFile)); err == nil {
			if key, err := signature.Parse(strings.TrimSpace(string(kept))); err == nil {
				return key, nil
			}
		}
	}
	if key = signature.New(rand.Reader); o.Config != "" {
		err = o.keep(keyFile, []byte(key.Text()+"\n"))
	}
	return key, err
}

// printKey shows the signing key.
func printKey(_ context.Context, _ *client, o options) error {
	key, err := o.signingKey()
	if err == nil {
		o.tell(object{"key": key.Text()}, "%s", key.Text())
	}
	return err
}

// tellKey shows the key that the options do not say.
func (l listener) tellKey() {
	if l.options.key == "" {
		l.tell(object{"key": l.key.Text()}, "The signing key: %s (ESHOP_KEY sets another)", l.key.Text())
	}
}

// wants says whether an event is to be posted.
func (o options) wants(event events.Name) bool {
	return len(o.events) == 0 || slices.Contains(o.events, string(event))
}

// passing is the error if it would come again, as a refusal does, and tells of any other.
func (l listener) passing(ctx context.Context, err error) error {
	refused, is := errors.AsType[*refusal](err)
	if err == nil || ctx.Err() != nil || is && refused.status != http.StatusTooManyRequests && refused.status < 500 {
		return err
	}
	fmt.Fprintln(l.Errs, "eshop:", err, "- trying again")
	return nil
}

// post posts the calls of a change.
func (l listener) post(ctx context.Context, change heard) {
	for _, name := range slices.DeleteFunc(change.Events(), func(e events.Name) bool { return !l.wants(e) }) {
		for _, call := range change.Calls(name, nil) {
			told := change.As(call)
			id := told.WebhookID(call.Event, "listen", call.Chunk)
			told.Shop = l.shop
			body := told.AppendHead(nil, id, call.Event, l.version, change.by)
			l.deliver(ctx, call, id, append(append(body, call.Data...), '}'))
		}
	}
}

// deliver posts one call and shows its answer, or the call itself where there is nobody to post it to.
func (l listener) deliver(ctx context.Context, call events.Call, id string, body []byte) {
	began := time.Now()
	if l.to == "" {
		l.tell(object{"at": began.UTC(), "event": call.Event, "id": id, "body": json.RawMessage(body)}, "%s %s %s",
			began.Format(time.TimeOnly), call.Event, body)
		return
	}
	answer, err := l.send(ctx, id, call, body)
	if err != nil {
		answer = plainly(err).Error()
	}
	took := time.Since(began).Milliseconds()
	l.tell(object{"at": began.UTC(), "event": call.Event, "id": id, "answer": answer, "durationMs": took},
		"%s %s %s %s (%d ms)", began.Format(time.TimeOnly), call.Event, id, answer, took)
}

// send posts one call as the platform does (contract, "Headers"), and returns the receiver's status.
func (l listener) send(ctx context.Context, id string, call events.Call, body []byte) (status string, err error) {
	var told struct{ By string }
	if err := json.Unmarshal(body, &told); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", l.to, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	stamp := time.Now().Unix()
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "eshop-webhooks/1",
		"X-Webhook-Event": string(call.Event), "X-Webhook-Id": id, "X-Webhook-Attempt": "1", "X-Webhook-By": told.By,
		"X-Webhook-Timestamp": strconv.FormatInt(stamp, 10), "X-Webhook-Signature": signature.Hex(l.key, stamp, body),
		"Webhook-Id": id, "Webhook-Timestamp": strconv.FormatInt(stamp, 10),
		"Webhook-Signature": signature.Standard(id, stamp, body, l.key),
	} {
		r.Header.Set(name, value)
	}
	if call.Changed != "" {
		r.Header.Set("X-Webhook-Changed", call.Changed)
	}
	// The platform follows no redirect either (contract, "Success and retries").
	once := http.Client{CheckRedirect: stay}
	got, err := once.Do(r)
	if err != nil {
		return "", err
	}
	defer got.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(got.Body, 16<<10))
	return got.Status, err
}
