package house_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/host/lambda"
	shops "eshop/shared/shop"
	"eshop/shared/webhook"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The ids of the payloads.
const (
	shop     = "01KYFXV0000000000000000SHP"
	customer = "01KYFXV0000000000000000CST"
	acc      = "01KYFXV0000000000000000ACC"
	told     = "01KYFXV0000000000000000WHK"
	receiver = "01KYFXV0000000000000000RCV"
	imported = "01KYFXV0000000000000000MPT"
)

// shopsHost is where shoppers of the payloads are.
const shopsHost = "shop.example.com"

type object = map[string]any

// invocation is what Lambda hands the function: the first of its operations that needs no id, or one of what triggers
// it.
func invocation(f host.Function) object {
	switch {
	case f.HTTP != nil:
		return call(f)
	case f.Feed != nil:
		change := events.Change{Request: imported, Shop: shop, At: hosttest.Start.UnixMilli(),
			Records: []events.Record{{Kind: events.Customers, ID: customer, Did: events.Created, Version: receiver}}}
		key := object{"pk": object{"S": "S#" + shop + "#C#" + customer}, "sk": object{"S": "A"}}
		return object{"Records": []object{{"eventID": "1", "eventName": "INSERT", "eventSource": "aws:dynamodb",
			"awsRegion":      "eu-central-1",
			"eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/Main/stream/2026-11-21T00:00:00.000",
			"dynamodb": object{"Keys": key, "SequenceNumber": "100000000000000000001",
				"StreamViewType": "NEW_AND_OLD_IMAGES",
				"NewImage":       object{"pk": key["pk"], "sk": key["sk"], "ch": object{"S": change.Encode()}}}}}}
	case f.Messages != nil:
		bell := webhook.Bell{Access: acc, ID: told, Receiver: receiver}.Message(0)
		return object{"Records": []object{{"messageId": "1", "receiptHandle": "1", "body": bell.Body,
			"attributes": object{"ApproximateReceiveCount": "1",
				"MessageGroupId": bell.Group}, "eventSource": "aws:sqs",
			"eventSourceARN": "arn:aws:sqs:eu-central-1:123456789012:Fresh", "awsRegion": "eu-central-1"}}}
	case f.Upload != nil:
		return object{"version": "0", "id": "1", "detail-type": "Object Created", "source": "aws.s3",
			"account": "123456789012", "region": "eu-central-1",
			"time": hosttest.Start, "detail": object{"bucket": object{"name": "eshop-files"},
				"object": object{"key": f.Upload.Prefix + shop + "/" + imported + "/file", "size": 5}}}
	default:
		return object{"version": "0", "id": "1", "detail-type": "Scheduled Event", "source": "aws.events",
			"account": "123456789012", "region": "eu-central-1",
			"time": hosttest.Start, "detail": object{}}
	}
}

// call is a request of the function's first operation of which everything is in its path.
func call(f host.Function) object {
	a := api.New(api.Config{})
	f.HTTP(&host.Platform{}, a)
	method, path, body := "", "", ""
	for _, pattern := range a.Patterns() {
		if m, p, _ := strings.Cut(pattern, " "); !strings.Contains(p, "{") &&
			(path == "" || method != http.MethodGet && m == http.MethodGet) {
			method, path = m, p
		}
	}
	at := "api.example.com"
	headers := object{"authorization": "Bearer " + shop, "accept": "application/json", "x-forwarded-for": "192.0.2.1"}
	switch {
	case strings.HasPrefix(path, "/operator"):
		headers["authorization"] = "Bearer " + hosttest.OperatorToken
	case strings.HasPrefix(path, "/developer"):
		headers["authorization"] = "Bearer " + hosttest.DeveloperToken
	case ofAdmin(path):
		at = "shop.admin.example.com"
		delete(headers, "authorization")
	case people(method + " " + path):
		at = shopsHost
		delete(headers, "authorization")
	}
	headers["host"] = at
	encoded := false
	switch {
	case path == "/api-engine/images":
		headers["content-type"], encoded = "multipart/form-data; boundary=part", true
		body = base64.StdEncoding.EncodeToString(slices.Concat(
			[]byte("--part\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n"), onePixel,
			[]byte("\r\n--part--\r\n")))
	case method != http.MethodGet:
		headers["content-type"], body = "application/json",
			`{"installCode":"0123456789012345678901234567890123456789012"}`
	}
	return object{"version": "2.0", "routeKey": "$default", "rawPath": path, "rawQueryString": "", "headers": headers,
		"body": body, "isBase64Encoded": encoded,
		"requestContext": object{"requestId": "1", "stage": "$default", "timeEpoch": hosttest.Start.UnixMilli(),
			"domainName": at,
			"http": object{"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1",
				"userAgent": "example"}}}
}

// onePixel is the smallest image.
var onePixel = []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff," +
	"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02L\x01\x00;")

// TestGoldenInvocationsAreWhatFunctionsTake keeps events/samples/<function>.json: what `sam local invoke -e` is given.
// "make golden" writes them.
func TestGoldenInvocationsAreWhatFunctionsTake(t *testing.T) {
	w := hosttest.Open(t, hosttest.Setup{Authenticate: hosttest.AuthenticateByText,
		Platform: func(p *host.Parts) { p.Shops.Host = "example.com" }})
	_, err := shops.Shops(w.P.ShopNames(), w.P.Accesses.DropShop).
		Create(t.Context(), w.P.Unit(), shops.Fields{Name: "Zahrada", Domain: shopsHost,
			Locale: "cs_CZ", Currency: "CZK", Owner: shops.Owner{Email: "o@example.cz"}})
	require.NoError(t, err)
	for _, f := range functions.List {
		t.Run(f.Name, func(t *testing.T) {
			got, err := json.MarshalIndent(invocation(f), "", "  ")
			require.NoError(t, err)
			file := filepath.Join("..", "..", "events", "samples", f.Name+".json")
			if *update {
				require.NoError(t, os.WriteFile(file, append(got, '\n'), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(bytes.TrimSuffix(want, []byte("\n"))), string(got))
			invoke(t, w, f, want)
		})
	}
}

// invoke lets the function handle the payload as its Lambda does, and wants it to have nothing against it.
func invoke(t *testing.T, w *hosttest.World, f host.Function, payload []byte) {
	switch {
	case f.HTTP != nil:
		frame := w.P.Frame()
		frame.Authenticate = hosttest.AuthenticateByText
		f.HTTP(w.P, frame)
		answer, err := handled(t, payload, lambda.HTTP(frame))
		require.NoError(t, err)
		fine := []int{http.StatusOK, http.StatusCreated, http.StatusUnauthorized}
		require.Contains(t, fine, answer.StatusCode, answer.Body)
	case f.Feed != nil:
		answer, err := handled(t, payload, lambda.Feed(f.Feed.Handler(w.P)))
		require.NoError(t, err)
		require.Empty(t, answer.BatchItemFailures)
	case f.Messages != nil:
		answer, err := handled(t, payload, lambda.Messages(f.Messages.Handler(w.P)))
		require.NoError(t, err)
		require.Empty(t, answer.BatchItemFailures)
	case f.Upload != nil:
		_, err := handled(t, payload, lambda.Upload(f.Upload.Handler(w.P)))
		require.NoError(t, err)
	default:
		_, err := handled(t, payload, lambda.Tick(f.Tick.Handler(w.P)))
		require.NoError(t, err)
	}
}

func handled[E, R any](t *testing.T, payload []byte, h func(context.Context, E) (R, error)) (R, error) {
	var e E
	require.NoError(t, json.Unmarshal(payload, &e))
	return h(t.Context(), e)
}
