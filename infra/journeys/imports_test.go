package journeys

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	lambda "github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"eshop/shared/awsconf"
	"eshop/shared/blob"
	"eshop/shared/blob/blobtest"
	"eshop/shared/blob/s3"
	"eshop/shared/host"
	"eshop/shared/lambdahost"
)

// bucket is S3 in the test's process, with EventBridge behind it.
type bucket struct {
	blob.Bucket
	put chan string // keys of objects that were put
}

func newBucket(t *testing.T) *bucket {
	b := &bucket{put: make(chan string, 1000)}
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("files"))
	require.NoError(t, backend.SetVersioningConfiguration("files", gofakes3.VersioningConfiguration{Status: gofakes3.VersioningEnabled}))
	fake := blobtest.NewestFirst(gofakes3.New(backend).Server())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fake.ServeHTTP(w, r)
		if r.Method == http.MethodPut {
			b.put <- strings.TrimPrefix(r.URL.Path, "/files/")
		}
	}))
	t.Cleanup(s.Close)
	cfg := awsconf.New("eu-central-1", aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"})
	cfg.BaseEndpoint = aws.String(s.URL)
	b.Bucket = s3.New(cfg, "files")
	return b
}

// hear hands what was put to an upload function, twice: EventBridge does so now and then.
func (b *bucket) hear(ctx context.Context, f host.Function, p *host.Platform) {
	handle := throughJSON(lambdahost.Upload(f.Upload(p)))
	for {
		select {
		case key := <-b.put:
			detail, err := json.Marshal(map[string]any{"object": map[string]any{"key": key}})
			for range 2 {
				if strings.HasPrefix(key, f.Uploads) && err == nil {
					_, err = handle(ctx, lambda.EventBridgeEvent{DetailType: "Object Created", Source: "aws.s3", Detail: detail})
				}
			}
			if err != nil && ctx.Err() == nil {
				panic(err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// uploads begins an import and PUTs its file; it returns the status of the PUT and of a second one, with a file that nobody
// may look at.
func (tn *tenant) uploads(of, format, file string) (id string, first, second int) {
	tn.t.Helper()
	a := tn.post("/api-engine/imports", fields{"type": of, "format": format, "mode": "upsert"})
	put := func(file string) int {
		r, err := http.NewRequest("PUT", a.text("uploadUrl"), strings.NewReader(file))
		require.NoError(tn.t, err)
		r.Header.Set("Content-Type", "application/x-anything")
		got, err := caller.Do(r)
		require.NoError(tn.t, err)
		got.Body.Close()
		return got.StatusCode
	}
	first = put(file)
	return a.id(), first, put("not,a,file\n")
}

// done waits until the import is over, and returns it.
func (tn *tenant) done(id string) answer {
	tn.t.Helper()
	var a answer
	require.Eventually(tn.t, func() bool {
		a = tn.get("/api-engine/imports/" + id)
		return slices.Contains([]string{"done", "failed"}, a.text("state"))
	}, patience, 20*time.Millisecond)
	return a
}

func imported(t *testing.T, w *world) {
	tn := w.shopWith(t, everything...)
	a := tn.listens(fields{"events": []string{"customerCreate", "customerChange", "productCreate"}})
	var file strings.Builder
	file.WriteString("email,firstName,lastName\n")
	for i := range 1200 {
		fmt.Fprintf(&file, "c%d@example.com,Jana,Nováková\n", i)
	}
	file.WriteString("nobody,,\n")
	id, first, second := tn.uploads("customers", "csv", file.String())
	require.Contains(t, []int{200, 204}, first)
	want := map[int]int{204: 403, 200: 200} // the one process refuses; S3 takes a file again, which changes nothing
	require.Equal(t, want[first], second)
	over := tn.done(id)
	require.Equal(t, "done", over.text("state"))
	require.Equal(t, fields{"read": 1201.0, "changed": 1200.0, "unchanged": 0.0, "failed": 1.0}, over.fields()["rows"])
	errors := tn.get("/api-engine/imports/" + id + "/errors").items("items")
	require.Len(t, errors, 1)
	require.Equal(t, 1201.0, errors[0]["row"])
	require.Equal(t, "body.email", errors[0]["location"])

	told := map[string]bool{}
	calls := a.until(func(calls []call) bool { return len(calls) >= 3 })
	var sizes []int
	for _, c := range calls {
		require.Equal(t, "customerCreate", c.body.Event)
		var data struct{ CustomerIDs []string }
		require.NoError(t, json.Unmarshal(c.body.Data, &data))
		sizes = append(sizes, len(data.CustomerIDs))
		for _, id := range data.CustomerIDs {
			require.False(t, told[id], "each is told once")
			told[id] = true
		}
	}
	slices.Sort(sizes)
	require.Equal(t, []int{200, 500, 500}, sizes, "calls are cut at 500 ids only")
	for id := range told {
		tn.get("/api-engine/customers/" + id)
		break
	}

	id, _, _ = tn.uploads("customers", "jsonl", `{"email":"c7@example.com","phone":"+420 601 123 456"}`+"\n"+`{"email":"C8@example.com"}`+"\n")
	require.Equal(t, 2.0, tn.done(id).fields()["rows"].(fields)["changed"])
	change := a.until(func(calls []call) bool { return len(calls) >= 4 })[3]
	require.Equal(t, "customerChange", change.body.Event)
	require.Equal(t, "contact", change.header.Get("X-Webhook-Changed"))
}
