package house_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/docs/openapi"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/webhook"
)

// recorded is the version whose answers are recorded: a file for each request and its answer, as HTTP has them. Beside
// them are the bodies of its webhooks, which the tests of package events hold. Ids, clock and randomness are the test's
// own, and so is the counter of limits.
const recorded = "2026-11-01"

// recordings are the folder of what is recorded of a version.
func recordings(version string) string {
	return filepath.Join("..", "..", "events", "samples", version)
}

// unlimited are counters that begin anew with each request.
type unlimited struct{ limit.Counters }

func (unlimited) Charge(_ context.Context, _ string, l limit.Limits, cost int64, _ time.Time) (limit.Standing, error) {
	return limit.Standing{Hourly: l.Hourly - cost, Daily: l.Daily - cost}, nil
}

// recorder is a world whose answers are recorded.
type recorder struct {
	*world
	tokens      map[string]string // by what recorded requests have in their place
	empty       string            // a category that nothing is in
	code        string            // a custom code of the access that may only write
	installCode string
	ping        string       // a delivery of a ping
	rows        []store.Item // the deliveries
}

func openRecorder(t *testing.T) *recorder {
	w := &recorder{world: openWith(t, func(p *host.Parts) { p.Counters = unlimited{p.Counters} })}
	w.tokens = map[string]string{"all": w.token}
	var writes []permission.Permission
	for _, p := range permission.All {
		if strings.HasSuffix(string(p), ":write") {
			writes = append(writes, p)
		}
	}
	for who, active := range map[string]bool{"writes": true, "inactive": false} {
		w.dice.of(who)
		pack := with(w.sample("POST /operator/packages"), "code", who)
		made := w.As(hosttest.OperatorToken, "POST", "/operator/packages", pack).Is(201)
		access := object{"packageId": made.ID(), "permissions": toAny(writes), "active": active}
		at := "/operator/shops/" + w.made["POST /operator/shops"].ID() + "/accesses"
		w.tokens[who] = w.As(hosttest.OperatorToken, "POST", at, access).Is(201).Get("token")
	}
	w.dice.of("empty category")
	w.empty = w.As(w.token, "POST", "/api-engine/categories", object{"name": "Nic"}).Is(201).ID()
	w.dice.of("another's code")
	w.code = w.As(w.tokens["writes"], "POST", "/api-engine/custom-codes", w.sample("POST /api-engine/custom-codes")).
		Is(201).ID()
	w.dice.of("image")
	w.image()
	w.dice.of("key")
	w.As(w.token, "PATCH", "/api-engine/package", object{"setup": "done"}, "Idempotency-Key", "used").Is(200)
	w.dice.of("install code")
	access := w.made["POST /operator/shops/{shopId}/accesses"]
	code, err := addon.IssueInstallCode(t.Context(), w.P.Unit(), addon.InstallCode{Access: access.ID(),
		Shop: access.Get("shopId"), Package: access.Get("packageId"), Activation: w.P.NewID()})
	require.NoError(t, err)
	w.installCode = code
	w.dice.of("replay")
	replay := "POST /api-engine/webhooks/{id}/replay"
	w.ask(replay, w.sample(replay)).Is(202)
	w.made["POST /api-engine/webhook-deliveries"] = hosttest.Answer{T: t,
		Body: object{"id": w.delivered(events.ProductChange)}}
	w.ping = w.delivered(events.Ping)
	return w
}

// delivered is a delivery of the event to the world's receiver, which has failed for good.
func (w *recorder) delivered(e events.Name) string {
	w.dice.of(string(e))
	access := w.made["POST /operator/shops/{shopId}/accesses"]
	c := events.Change{Request: w.P.NewID(), Shop: access.Get("shopId"), At: w.Clock.Now().UnixMilli()}
	row, _ := webhook.NewRow(c, events.Sample(e), webhook.Addressee{Access: access.ID(),
		Package: access.Get("packageId"), Receiver: w.made["POST /api-engine/webhooks"].ID(), Version: recorded},
		w.Clock.Now())
	row.Text["state"], row.Index1 = string(webhook.Exhausted), store.Key{}
	w.rows = append(w.rows, row)
	return row.SK
}

// request is a request as it is recorded. who is the access that makes it.
func (w *recorder) request(who, method, path string, body any, headers ...string) string {
	r := w.Request(who, method, path, body, headers...)
	if form, is := body.(parts); is {
		r = w.Request(who, method, path, form.text, slices.Concat(headers,
			[]string{"Content-Type", "multipart/form-data; boundary=" + form.boundary})...)
	}
	if r.Header.Get("Api-Version") == "" {
		r.Header.Set("Api-Version", recorded)
	}
	sent, err := io.ReadAll(r.Body)
	require.NoError(w.T, err)
	if len(sent) > 0 {
		r.Header.Set("Content-Length", strconv.Itoa(len(sent)))
	}
	return asText(method+" "+path+" HTTP/1.1\nHost: api.example.com", r.Header, string(sent))
}

// asText is a message of HTTP, with its headers by name.
func asText(first string, header http.Header, body string) string {
	var b bytes.Buffer
	_ = header.Write(&b)
	return first + "\n" + strings.ReplaceAll(b.String(), "\r\n", "\n") + "\n" + body
}

// answer is what a recorded request is answered in a version. Nothing that it writes is kept, so no answer depends on
// another request. A problem's request has nothing to write, and may meet the store as it is.
func (w *recorder) answer(name, request, version string) string {
	w.T.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(request)))
	require.NoError(w.T, err)
	r.RemoteAddr = "192.0.2.1:1"
	if r.Header.Get("Api-Version") == recorded {
		r.Header.Set("Api-Version", version)
	}
	if who := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); w.tokens[who] != "" {
		r.Header.Set("Authorization", "Bearer "+w.tokens[who])
	}
	var a hosttest.Answer
	w.Put(w.P.Pipeline, w.rows...) // an earlier request may have sent one again
	serve := func() { a = w.Serve(r.WithContext(w.T.Context())) }
	if w.dice.again(); strings.HasPrefix(name, "problem.") {
		serve()
	} else {
		w.dry(serve)
	}
	return asText(fmt.Sprintf("HTTP/1.1 %d %s", a.Status, http.StatusText(a.Status)), a.Header, a.Text)
}

// operations are the requests of all operations that accesses call, by operationId; and each PATCH by an access that
// may not read the record.
func (w *recorder) operations() map[string]string {
	all, d := map[string]string{}, w.document(api.Newest())
	for _, in := range w.API.Inputs() {
		method, path, _ := strings.Cut(in.Route, " ")
		if !strings.HasPrefix(path, "/api-engine/") && !strings.HasPrefix(path, "/basket-price-") {
			continue
		}
		id := d.at("paths", path, strings.ToLower(method), "operationId").(string)
		var body any
		if sample := w.sample(in.Route); in.Multipart {
			p := parts{boundary: "b"}
			for _, name := range []string{"file", "quoteId"} {
				if sample[name] != nil {
					p.text += fmt.Sprintf("--b\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", name,
						sample[name])
				}
			}
			p.text += "--b--\r\n"
			body = p
		} else if in.Route == "POST /api-engine/tokens" {
			body = object{"installCode": w.installCode}
		} else if sample != nil {
			body = sample
		}
		at := w.path(in.Route)
		if in.Route == "DELETE /api-engine/categories/{id}" {
			at = "/api-engine/categories/" + w.empty
		}
		all[id] = w.request("all", method, at, body)
		if d.at("paths", path, "patch", "responses", "204") == nil || method != http.MethodPatch {
			continue
		}
		if path == "/api-engine/custom-codes/{id}" {
			at = "/api-engine/custom-codes/" + w.code
		}
		all[id+".writes"] = w.request("writes", method, at, body)
	}
	return all
}

// document is the OpenAPI document of a version.
func (w *recorder) document(v api.Version) (d document) {
	w.T.Helper()
	require.NoError(w.T, json.Unmarshal(openapi.Document(w.API, v), &d.object))
	return d
}

// refusals are requests that are refused, by the code of the problem.
func (w *recorder) refusals() map[string]string {
	id := func(of string) string { return w.made[of].ID() }
	all := map[string]string{}
	ask := func(code, method, path string, body any, headers ...string) {
		all[code] = w.request("all", method, path, body, headers...)
	}
	again := func(code, path, field string) { // another record with the same value
		sample := w.sample("POST " + path)
		sample[field] = w.made["POST "+path].At(field)
		ask(code, "POST", path, sample)
	}
	customer := "/api-engine/customers/" + id("POST /api-engine/customers")
	order := func(field string, value any) object { return with(w.sample("POST /api-engine/orders"), field, value) }
	url := func(text string) object { return with(w.sample("POST /api-engine/custom-urls"), "url", text) }

	all["unauthenticated"] = w.request("nobody", "GET", customer, nil)
	all["package_inactive"] = w.request("inactive", "GET", customer, nil)
	all["insufficient_permission"] = w.request("writes", "GET", customer, nil)
	ask("unknown_api_version", "GET", customer, nil, "Api-Version", "2020-01-01")
	ask("not_found", "GET", "/api-engine/customers/"+id("POST /api-engine/products"), nil)
	ask("method_not_allowed", "PUT", customer, nil)
	ask("unsupported_media_type", "PATCH", customer, "a", "Content-Type", "text/plain")
	ask("malformed_json", "PATCH", customer, "{")
	ask("invalid", "POST", "/api-engine/customers", object{"note": strings.Repeat("n", 5)})
	ask("bad_cursor", "GET", "/api-engine/customers?cursor=none", nil)
	ask("version_conflict", "PATCH", customer, object{"note": "b"}, "If-Match", `"none"`)
	ask("idempotency_key_reused", "PATCH", "/api-engine/package", object{"setup": "required"},
		"Idempotency-Key", "used")
	again("external_id_taken", "/api-engine/customers", "externalId")
	again("email_taken", "/api-engine/customers", "email")
	again("code_taken", "/api-engine/products", "code")
	ask("category_in_use", "DELETE", "/api-engine/categories/"+id("POST /api-engine/categories"), nil)
	ask("insufficient_stock", "POST", "/api-engine/orders", order("items",
		[]any{with(order("", nil)["items"].([]any)[0].(object), "quantity", 1000)}))
	ask("coupon_invalid", "POST", "/api-engine/orders", order("discountCoupons", []any{"NONE"}))
	ask("slug_empty", "POST", "/api-engine/custom-urls", url("!"))
	ask("slug_reserved", "POST", "/api-engine/custom-urls", url("basket"))
	ask("cleanup_exists", "POST", "/api-engine/cleanup-orders", w.sample("POST /api-engine/cleanup-orders"))
	ask("feed_expired", "GET", "/api-engine/changes?from=2026-01-01", nil)
	ask("batch_rejected", "PATCH", "/api-engine/products/batch/basic?errorPolicy=rejectAll",
		object{"items": []any{object{"id": customer[len(customer)-26:], "ifMatch": "*", "name": "b"}}})
	ask("not_redeliverable", "POST", "/api-engine/webhook-deliveries/"+w.ping+"/redeliver", nil)
	return all
}

// unrecorded are the codes that partners are answered and that are not recorded: what they need is no single request.
var unrecorded = strings.Fields(`rate_limited batch_too_expensive body_too_large too_many_items idempotency_in_progress
	unavailable internal last_state state_deleted state_final too_many_states system_url slug_taken too_many_urls
	upload_forbidden download_forbidden quote_used quote_expired quote_invalid quote_not_issued too_many_codes
	cleanup_executed key_pending receiver_unverified receiver_inactive too_many_receivers delivery_cancelled key_not_pending
	basket_empty prices_changed cross_site sign_in_failed too_many_tries
	last_admin domain_taken package_installed too_many_packages too_many_shops too_many_keys
	too_many_tokens too_many_admins https_only
	shop_closed shop_deleting`)

// TestGoldenAnswersOfAVersionStay sends each recorded request again and wants the recorded answer, byte for byte. `make
// golden` records the requests of new operations, and what has come to an answer beside all that it had. It never takes
// anything away from a recorded answer and changes nothing in it: that is what a version promises
// (functions/docs/conventions.md, "Versions"). If a recording must go for another reason, such as another record in the
// world of these tests, delete the file and say why.
func TestGoldenAnswersOfAVersionStay(t *testing.T) {
	w := openRecorder(t)
	for name, request := range w.operations() {
		w.record(t, name, request)
	}
	for code, request := range w.refusals() {
		w.record(t, "problem."+code, request)
	}
	for _, c := range openapi.Codes {
		_, err := os.Stat(filepath.Join(recordings(recorded), "problem."+c.Name+".http"))
		require.Equal(t, slices.Contains(unrecorded, c.Name), err != nil, c.Name)
	}
	for _, r := range readRecordings(t) {
		t.Run(r.name, func(t *testing.T) {
			w.T = t
			now := w.answer(r.name, r.request, recorded)
			if now != r.answer && *update && lost(t, r.answer, now) == "" {
				r.write(t, now)
				return
			}
			require.Equal(t, r.answer, now, "a recorded answer of version %s: %s", recorded,
				lost(t, r.answer, now))
		})
	}
}

// record writes a request with its answer, if there is none of this name.
func (w *recorder) record(t *testing.T, name, request string) {
	r := recording{name: name, request: request}
	if _, err := os.Stat(r.file()); err == nil {
		return
	}
	require.True(t, *update, "%s is not recorded: run `make golden`", name)
	r.write(t, w.answer(name, request, recorded))
}

// recording is one recorded request and its answer.
type recording struct{ name, request, answer string }

func (r recording) file() string { return filepath.Join(recordings(recorded), r.name+".http") }

func (r recording) write(t *testing.T, answer string) {
	require.NoError(t, os.WriteFile(r.file(), []byte(r.request+"\n\n"+answer), 0o644))
}

// answers finds where the answer begins in a recording.
var answers = regexp.MustCompile(`\n\nHTTP/1\.1 [1-5]\d\d `)

func readRecordings(t *testing.T) (all []recording) {
	files, err := filepath.Glob(filepath.Join(recordings(recorded), "*.http"))
	require.NoError(t, err)
	require.Greater(t, len(files), 100)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		at := answers.FindIndex(text)
		require.NotNil(t, at, file)
		all = append(all, recording{strings.TrimSuffix(filepath.Base(file), ".http"), string(text[:at[0]]),
			string(text[at[0]+2:])})
	}
	return all
}

// parsed is an answer that was recorded or made.
func parsed(t *testing.T, answer string) (*http.Response, string) {
	a, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
	require.NoError(t, err)
	body, err := io.ReadAll(a.Body)
	require.NoError(t, err)
	return a, string(body)
}

// lost is what a recorded answer has and the one that is made now has not, or has otherwise; "" for none.
func lost(t *testing.T, recorded, now string) string {
	was, wasBody := parsed(t, recorded)
	is, isBody := parsed(t, now)
	if was.StatusCode != is.StatusCode {
		return fmt.Sprintf("status %d instead of %d", is.StatusCode, was.StatusCode)
	}
	for name := range was.Header {
		if name != "Content-Length" && !slices.Equal(was.Header[name], is.Header[name]) {
			return fmt.Sprintf("%s is %q instead of %q", name, is.Header[name], was.Header[name])
		}
	}
	var before, after any
	if json.Unmarshal([]byte(wasBody), &before) != nil || json.Unmarshal([]byte(isBody), &after) != nil {
		if wasBody == isBody {
			return ""
		}
		return "another body"
	}
	return lostIn(before, after, "body")
}

// lostIn is what a recorded value has at a place that the value of now has not. Texts for people are no promise.
func lostIn(was, is any, at string) string {
	switch was := was.(type) {
	case object:
		is, same := is.(object)
		for name, v := range was {
			if w, there := is[name]; !same || !there {
				return at + "." + name + " is gone"
			} else if name == "detail" || name == "message" {
				continue
			} else if why := lostIn(v, w, at+"."+name); why != "" {
				return why
			}
		}
		return ""
	case []any:
		is, same := is.([]any)
		if !same || len(is) != len(was) {
			return at + " has not the entries that it had"
		}
		for i := range was {
			if why := lostIn(was[i], is[i], at+"["+strconv.Itoa(i)+"]"); why != "" {
				return why
			}
		}
		return ""
	}
	if was != is {
		return fmt.Sprintf("%s is %v instead of %v", at, is, was)
	}
	return ""
}

func TestARecordingTakesWhatIsAddedAndNothingElse(t *testing.T) {
	answer := func(status int, body string) string {
		return asText(fmt.Sprintf("HTTP/1.1 %d %s", status, http.StatusText(status)),
			http.Header{"Etag": {`"1"`}, "Content-Length": {strconv.Itoa(len(body))}}, body)
	}
	was := answer(200, `{"id":"1","a":[{"b":1.50}],"detail":"Here."}`)
	require.Empty(t, lost(t, was, was))
	require.Empty(t, lost(t, was, answer(200, `{"c":2,"id":"1","a":[{"b":1.50,"d":3}],"detail":"There."}`)))
	for body, why := range map[string]string{
		`{"id":"1","a":[{"b":1.50}]}`:                     "body.detail is gone",
		`{"id":"2","a":[{"b":1.50}],"detail":"Here."}`:    "body.id is 2 instead of 1",
		`{"id":1,"a":[{"b":1.50}],"detail":"Here."}`:      "body.id is 1 instead of 1",
		`{"id":"1","a":[{"b":null}],"detail":"Here."}`:    "body.a[0].b is <nil> instead of 1.5",
		`{"id":"1","a":[{"b":1.50},{}],"detail":"Here."}`: "body.a has not the entries that it had",
		`{"id":"1","a":{"b":1.50},"detail":"Here."}`:      "body.a has not the entries that it had",
		`"a text"`: "body.id is gone",
	} {
		if why == "body.id is gone" {
			require.Contains(t, lost(t, was, answer(200, body)), " is gone", body)
			continue
		}
		require.Equal(t, why, lost(t, was, answer(200, body)), body)
	}
	require.Equal(t, "status 202 instead of 200", lost(t, was, answer(202, `{}`)))
	require.Contains(t, lost(t, was, strings.Replace(was, "Etag", "Etag2", 1)), "Etag is")
}

// TestVersionsDifferWhereTheyAreSaidTo sends the recorded requests in each version: only a PATCH by an access that may
// not read the record is answered otherwise. Each answer is as the document of its version says.
func TestVersionsDifferWhereTheyAreSaidTo(t *testing.T) {
	w := openRecorder(t)
	newest := api.Newest()
	documents := []document{w.document(api.Versions[0]), w.document(newest)}
	var differ []string
	for _, r := range readRecordings(t) {
		now := w.answer(r.name, r.request, newest.Name)
		was, body := parsed(t, r.answer)
		is, another := parsed(t, now)
		for i, a := range []*http.Response{was, is} {
			requireDocumented(t, documents[i], r.name, a, []string{body, another}[i])
		}
		require.NotEmpty(t, was.Header["Sunset"], r.name)
		for _, own := range []string{"Api-Version", "Deprecation", "Sunset"} {
			was.Header.Del(own)
			if r.name != "problem.unknown_api_version" && own != "Api-Version" {
				require.Empty(t, is.Header[own], r.name)
			}
			is.Header.Del(own)
		}
		if was.StatusCode == is.StatusCode && body == another {
			require.Equal(t, was.Header, is.Header, r.name)
			continue
		}
		differ = append(differ, r.name)
		require.Equal(t, []int{200, 204}, []int{was.StatusCode, is.StatusCode}, r.name)
		require.Regexp(t, `^\{"id":"[0-9A-Z]{26}","changed":"2026-[^"]+"\}\n$`, body, r.name)
		require.Empty(t, another, r.name)
		require.Equal(t, was.Header["Etag"], is.Header["Etag"], r.name)
	}
	require.Equal(t, []string{"changeCategory.writes", "changeCoupon.writes", "changeCustomCode.writes",
		"changeCustomer.writes", "changeOrder.writes", "changeOrderState.writes",
		"changeProduct.writes", "changeTracking.writes", "changeVariant.writes"}, differ)
}

// requireDocumented wants a good answer of an operation to have the status and the body that the document says.
func requireDocumented(t *testing.T, d document, name string, a *http.Response, body string) {
	t.Helper()
	id, _, _ := strings.Cut(name, ".")
	for _, item := range d.at("paths").(object) {
		for _, op := range item.(object) {
			if op, is := op.(object); is && op["operationId"] == id {
				require.Less(t, a.StatusCode, 300, name)
				said := document{op}.at("responses", strconv.Itoa(a.StatusCode))
				require.NotNil(t, said, "%s: %d", name, a.StatusCode)
				schema, has := document{said.(object)}.at("content", "application/json", "schema").(object)
				require.Equal(t, has, body != "", name)
				if has {
					var v any
					require.NoError(t, json.Unmarshal([]byte(body), &v))
					require.Empty(t, d.wrong(schema, v, "the answer"), name)
				}
			}
		}
	}
}
