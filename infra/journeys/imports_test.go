package journeys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	awsevents "github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"eshop/functions"
	"eshop/shared/host"
	"eshop/shared/ports/awsconf"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/blob/blobtest"
	"eshop/shared/ports/blob/s3"
)

// bucket is S3 in the test's process, with EventBridge behind it.
type bucket struct {
	blob.Bucket
	put map[string]chan string // keys of objects that were put, by the begin that functions hear of
}

func newBucket(t *testing.T) *bucket {
	b := &bucket{put: map[string]chan string{}}
	for _, f := range functions.List {
		if f.Upload != nil {
			b.put[f.Upload.Prefix] = make(chan string, 1000)
		}
	}
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("files"))
	require.NoError(t, backend.SetVersioningConfiguration("files",
		gofakes3.VersioningConfiguration{Status: gofakes3.VersioningEnabled}))
	fake := blobtest.NewestFirst(gofakes3.New(backend).Server())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fake.ServeHTTP(w, r)
		if r.Method == http.MethodPut {
			key := strings.TrimPrefix(r.URL.Path, "/files/")
			for prefix, put := range b.put {
				if strings.HasPrefix(key, prefix) {
					put <- key
				}
			}
		}
	}))
	t.Cleanup(s.Close)
	cfg := awsconf.New("eu-central-1", aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"})
	cfg.BaseEndpoint = aws.String(s.URL)
	b.Bucket = s3.New(cfg, "files")
	return b
}

// uploadFunction is a function that EventBridge calls.
type uploadFunction = func(context.Context, awsevents.EventBridgeEvent) (struct{}, error)

// hear hands what was put to an upload function until it succeeds, and then once more: EventBridge does so now and
// then. What a dead one leaves the sweeper finds.
func (b *bucket) hear(ctx context.Context, f host.Function, handle uploadFunction) {
	for {
		select {
		case key := <-b.put[f.Upload.Prefix]:
			detail, err := json.Marshal(map[string]any{"object": map[string]any{"key": key}})
			for times := 0; err == nil && times < 2 && ctx.Err() == nil; {
				_, failed := handle(ctx,
					awsevents.EventBridgeEvent{DetailType: "Object Created", Source: "aws.s3", Detail: detail})
				if failed == nil || errors.Is(failed, errDead) {
					times++
				}
			}
		case <-ctx.Done():
			return
		}
	}
}

// begins asks for an import and returns its id and where its file is to be PUT.
func (tn *tenant) begins(of, format string) (id, to string) {
	tn.t.Helper()
	a := tn.post("/api-engine/imports", fields{"type": of, "format": format, "mode": "upsert"})
	return a.id(), a.text("uploadUrl")
}

// puts PUTs a file and returns the status.
func (tn *tenant) puts(to, file string) int {
	tn.t.Helper()
	r, err := http.NewRequest("PUT", to, strings.NewReader(file))
	require.NoError(tn.t, err)
	r.Header.Set("Content-Type", "application/x-anything")
	got, err := caller.Do(r)
	require.NoError(tn.t, err)
	got.Body.Close()
	return got.StatusCode
}

// uploads begins an import and PUTs its file; it returns the status of the PUT and of a second one, with a file that
// nobody may look at.
func (tn *tenant) uploads(of, format, file string) (id string, first, second int) {
	tn.t.Helper()
	id, to := tn.begins(of, format)
	first = tn.puts(to, file)
	return id, first, tn.puts(to, "not,a,file\n")
}

// done waits until the import is over, and returns it.
func (tn *tenant) done(id string) answer {
	tn.t.Helper()
	var a answer
	eventually(tn.t, 4*patience, func() bool {
		a = tn.get("/api-engine/imports/" + id)
		return slices.Contains([]string{"done", "failed"}, a.text("state"))
	})
	return a
}

// toldOf waits until so many customers were told as made, each once and in calls of 500 but the last, and returns their
// ids.
func (a *listener) toldOf(n int) map[string]bool {
	a.t.Helper()
	told, want := map[string]bool{}, []int{}
	for left := n; left > 0; left -= 500 {
		want = append(want, min(left, 500))
	}
	var sizes []int
	for _, c := range a.until(func(calls []call) bool { return len(calls) >= len(want) }) {
		require.Equal(a.t, "customerCreate", c.body.Event)
		var data struct{ CustomerIDs []string }
		require.NoError(a.t, json.Unmarshal(c.body.Data, &data))
		sizes = append(sizes, len(data.CustomerIDs))
		for _, id := range data.CustomerIDs {
			require.False(a.t, told[id], "each is told once")
			told[id] = true
		}
	}
	require.ElementsMatch(a.t, want, sizes, "calls are cut at 500 ids only")
	return told
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
	faulty := tn.get("/api-engine/imports/" + id + "/errors").items("items")
	require.Len(t, faulty, 1)
	require.Equal(t, 1201.0, faulty[0]["row"])
	require.Equal(t, "body.email", faulty[0]["location"])

	told := a.toldOf(1200)
	for id := range told {
		tn.get("/api-engine/customers/" + id)
		break
	}

	id, _, _ = tn.uploads("customers", "jsonl",
		`{"email":"c7@example.com","phone":"+420 601 123 456"}`+"\n"+`{"email":"C8@example.com"}`+"\n")
	require.Equal(t, 2.0, tn.done(id).fields()["rows"].(fields)["changed"])
	change := a.until(func(calls []call) bool { return len(calls) >= 4 })[3]
	require.Equal(t, "customerChange", change.body.Event)
	require.Equal(t, "contact", change.header.Get("X-Webhook-Changed"))
}

// TestAnImporterIsKilledInTheMiddle kills the importer of 3,000 rows twice: whoever is woken behind it goes on, and
// neither is a row done twice nor a customer told twice.
func TestAnImporterIsKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	ls := &lives{next: make(chan int, 1), ended: make(chan bool, 2)}
	w := inLambda(t, mortal("importer", ls))
	tn := w.shopWith(t, everything...)
	a := tn.listens(fields{"events": []string{"customerCreate", "customerChange"}})
	var file strings.Builder
	file.WriteString("email,firstName,lastName\n")
	for i := range 3000 {
		fmt.Fprintf(&file, "c%d@example.com,Jana,Nováková\n", i)
	}
	ls.next <- 40
	id, to := tn.begins("customers", "csv")
	require.Equal(t, 200, tn.puts(to, file.String()))
	before := 0.0
	for _, then := range []int{50, -1} {
		require.True(t, <-ls.ended, "it died")
		require.False(t, <-ls.ended, "the event came once more, while the dead one's lease lasted")
		now := tn.get("/api-engine/imports/" + id)
		require.Equal(t, "running", now.text("state"))
		read := now.fields()["rows"].(fields)["read"].(float64)
		require.Greater(t, read, before)
		require.Less(t, read, 3000.0)
		if before = read; then > 0 {
			ls.next <- then
		}
		w.clock.pass(61 * time.Second) // the lease ends
		w.faults.sweep(t)
	}
	over := tn.done(id)
	require.Equal(t, "done", over.text("state"))
	require.Equal(t, fields{"read": 3000.0, "changed": 3000.0, "unchanged": 0.0, "failed": 0.0}, over.fields()["rows"])
	a.toldOf(3000)
	tn.hearsOnly(a, slices.Repeat([]string{"customerCreate"}, 6)...)
}

// TestAnImportOutlivesTheProcess kills the real program twice in the middle of a file: the next start goes on behind
// what is there, and its webhooks are the same ones.
func TestAnImportOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	const rows = 20_000
	data := t.TempDir()
	start := func() *process { return begin(t, command(t, data, "DEMO=0"), data) }
	p := start()
	tn := p.world().shopWith(t, everything...)
	tn.w.operate(t).patch(tn.accessPath(), fields{"hourlyLimit": 3_600_000, "dailyLimit": 3_600_000}) // it looks often
	a := tn.listens(fields{"events": []string{"customerCreate", "customerChange"}})
	var file strings.Builder
	file.WriteString("email,firstName,lastName\n")
	for i := range rows {
		fmt.Fprintf(&file, "c%d@example.com,Jana,Nováková\n", i)
	}
	id, to := tn.begins("customers", "csv")
	require.Equal(t, 204, tn.puts(to, file.String()))
	for _, behind := range []float64{rows / 5, rows / 2} {
		read := 0.0
		eventually(t, 4*patience, func() bool {
			for range 1000 { // without a pause: it must not be over before it is killed
				read = tn.get("/api-engine/imports/" + id).fields()["rows"].(fields)["read"].(float64)
				if read >= behind {
					return true
				}
			}
			return false
		})
		p.kill()
		require.Less(t, read, float64(rows), "it was in the middle")
		p = start()
		tn.base = p.run.BaseURL
	}
	require.Equal(t, fields{"read": float64(rows), "changed": float64(rows), "unchanged": 0.0, "failed": 0.0},
		tn.done(id).fields()["rows"])
	a.until(func(calls []call) bool { return len(customersOf(t, calls)) == rows })
	require.Len(t, tn.get("/api-engine/customers?email=c0@example.com").items("items"), 1)
}

// customersOf are the customers told as made with the webhook that told them: each by one, which may have come again
// after a kill, and each by a whole call.
func customersOf(t testing.TB, calls []call) map[string]string {
	by, times := map[string]string{}, map[string]int{}
	for _, c := range calls {
		require.Equal(t, "customerCreate", c.body.Event)
		var data struct{ CustomerIDs []string }
		require.NoError(t, json.Unmarshal(c.body.Data, &data))
		require.Len(t, data.CustomerIDs, 500)
		times[c.body.ID]++
		require.LessOrEqual(t, times[c.body.ID], 3, "once more after each kill")
		for _, id := range data.CustomerIDs {
			require.Contains(t, []string{"", c.body.ID}, by[id], "one webhook tells of it")
			by[id] = c.body.ID
		}
	}
	return by
}
