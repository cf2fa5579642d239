package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
)

// The bucket of the environment test beside those of others, and the mapping's and shard's part of keys.
const (
	files = "eshop-test-data-files6f2a1b3c-x1"
	shard = "aws/lambda/9a5c/shardId-01/2026/11/30/"
)

// account is S3 and Lambda: the function answers by what it is called with.
type account struct {
	t      *testing.T
	files  gofakes3.Backend
	url    string
	answer func(event string) (status int, functionError, body string)
	called []string // "function:alias event"
}

func newAccount(t *testing.T) *account {
	a := &account{t: t, files: s3mem.New(), answer: func(string) (int, string, string) {
		return 200, "", `{"batchItemFailures":[]}`
	}}
	for _, name := range []string{files, "eshop-test-data", "eshop-test2-data-files6f2a1b3c-x2"} {
		require.NoError(t, a.files.CreateBucket(name))
	}
	storage := gofakes3.New(a.files).Server()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, is := strings.CutPrefix(r.URL.Path, "/2015-03-31/functions/")
		if !is {
			storage.ServeHTTP(w, r)
			return
		}
		event, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		a.called = append(a.called, strings.TrimSuffix(name, "/invocations")+":"+r.URL.Query().Get("Qualifier")+" "+
			string(event))
		status, failed, body := a.answer(string(event))
		if failed != "" {
			w.Header().Set("X-Amz-Function-Error", failed)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	a.url = s.URL
	return a
}

func (a *account) puts(key, object string) {
	_, err := a.files.PutObject(files, key, nil, strings.NewReader(object), int64(len(object)), nil)
	require.NoError(a.t, err)
}

// has are the keys of the bucket.
func (a *account) has() (keys []string) {
	all, err := a.files.ListBucket(files, nil, gofakes3.ListBucketPage{})
	require.NoError(a.t, err)
	for _, o := range all.Contents {
		keys = append(keys, o.Key)
	}
	return keys
}

// run is the program as make calls it.
func (a *account) run(env string, bucket ...string) (string, error) {
	var said bytes.Buffer
	err := run(a.t.Context(), func(name string) string {
		return map[string]string{"ENV": env, "BUCKET": strings.Join(bucket, ""), "AWS_REGION": "us-east-1",
			"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL": a.url}[name]
	}, &said)
	return said.String(), err
}

// givenUp is a record of Lambda's as its guide has it ("Example Amazon S3 invocation record").
func givenUp(t *testing.T, function, event string) string {
	b, err := os.ReadFile("testdata/record.json")
	require.NoError(t, err)
	escaped := strings.ReplaceAll(event, `"`, `\"`)
	return strings.NewReplacer("<function>", function, "<Whole Event>", escaped).Replace(string(b))
}

func event(numbers ...string) string {
	for i, n := range numbers {
		numbers[i] = fmt.Sprintf(`{"dynamodb":{"SequenceNumber":"%s"}}`, n)
	}
	return `{"Records":[` + strings.Join(numbers, ",") + `]}`
}

func TestEachEventGoesToItsFunctionAndEndsThere(t *testing.T) {
	a := newAccount(t)
	a.puts(shard+"b", givenUp(t, "Indexer-1", event("3")))
	a.puts(shard+"a", givenUp(t, "Batcher-1:live", event("1", "2")))
	a.puts("images/a.png", "a picture")
	said, err := a.run("test")
	require.NoError(t, err, said)
	require.Equal(t, []string{"Batcher-1:live " + event("1", "2"), "Indexer-1:live " + event("3")}, a.called)
	require.Equal(t, []string{"images/a.png"}, a.has())
	require.Equal(t, shard+"a is done: 2 records for Batcher-1\n"+shard+"b is done: 1 records for Indexer-1\n"+
		"2 handed over, 0 left in "+files+"\n", said)

	said, err = a.run("test")
	require.NoError(t, err)
	require.Equal(t, "0 handed over, 0 left in "+files+"\n", said, "it can be asked again")
}

func TestWhatIsNotHandledStaysAndIsNamed(t *testing.T) {
	for name, x := range map[string]struct{ object, says string }{
		"a record fails": {givenUp(t, "B", event("fails")),
			"1 records for B: it fails at record 7; its log says why"},
		"the function ends": {givenUp(t, "B", event("ends")),
			"1 records for B: it answers {\"errorMessage\":\"x\"}"},
		"the function is no more": {givenUp(t, "B", event("gone")),
			"1 records for B: operation error Lambda: Invoke"},
		"it may not be called": {givenUp(t, "B", event("denied")),
			"1 records for B: operation error Lambda: Invoke"},
		"what is no record":     {"a picture", "not read: invalid character"},
		"an event of no stream": {givenUp(t, "B", "{}"), "not read: it holds no records of a stream"},
		"a record for nobody":   {`{"payload":"{\"Records\":[{}]}"}`, `not read: "" names no function`},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			a.answer = func(event string) (int, string, string) {
				switch {
				case strings.Contains(event, "fails"):
					return 200, "", `{"batchItemFailures":[{"itemIdentifier":"7"}]}`
				case strings.Contains(event, "ends"):
					return 200, "Unhandled", `{"errorMessage":"x"}`
				case strings.Contains(event, "gone"):
					return 404, "", `{"Message":"Function not found"}`
				case strings.Contains(event, "denied"):
					return 403, "", `{"Message":"no"}`
				}
				return 200, "", `{"batchItemFailures":[]}`
			}
			a.puts(shard+"a", x.object)
			a.puts(shard+"b", givenUp(t, "B", event("good")))
			said, err := a.run("test")
			require.EqualError(t, err, "mend what the lines above say, then ask again")
			lines := strings.Split(said, "\n")
			require.Contains(t, lines[0], shard+"a stays: "+x.says)
			require.Equal(t, shard+"b is done: 1 records for B", lines[len(lines)-3], "the others go on")
			require.Equal(t, "1 handed over, 1 left in "+files, lines[len(lines)-2])
			require.Equal(t, []string{shard + "a"}, a.has())
		})
	}
}

func TestTheBucketIsTheEnvironmentsOwn(t *testing.T) {
	a := newAccount(t)
	a.puts(shard+"a", givenUp(t, "B", event("1")))
	_, err := a.run("none")
	require.EqualError(t, err, `one bucket's name is to begin with eshop-none-data-files, and [] do: say which, BUCKET=…`)
	_, err = a.run("none", files)
	require.ErrorContains(t, err, "[] do", "a bucket of another environment is none")
	require.NoError(t, a.files.CreateBucket(files+"2"))
	_, err = a.run("test")
	require.ErrorContains(t, err, "one bucket's name")
	require.Empty(t, a.called)
	require.True(t, slices.Contains(a.has(), shard+"a"))
	said, err := a.run("test", files)
	require.NoError(t, err)
	require.Contains(t, said, "1 handed over", "whoever calls it can choose")
}
