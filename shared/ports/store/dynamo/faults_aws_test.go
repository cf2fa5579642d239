//go:build aws

package dynamo_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/infra/aws/engines"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/dynamo"
)

// DynamoDB Local knows no conflicts and no throttle and loses no answer, so these stand between the client and it.

// faults spoils the first calls, one fault each, and passes the others on.
type faults struct {
	next http.RoundTripper
	mu   sync.Mutex
	plan []fault
	sent []string // bodies
}

// fault answers a call instead of the engine; pass asks the engine.
type fault func(body []byte, pass func() (*http.Response, error)) (*http.Response, error)

func (f *faults) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f.mu.Lock()
	f.sent = append(f.sent, string(body))
	var now fault
	if len(f.plan) > 0 {
		now, f.plan = f.plan[0], f.plan[1:]
	}
	f.mu.Unlock()
	pass := func() (*http.Response, error) { return f.next.RoundTrip(r) }
	if now == nil {
		return pass()
	}
	return now(body, pass)
}

// says answers with an error of DynamoDB.
func says(status int, code, more string) fault {
	return func([]byte, func() (*http.Response, error)) (*http.Response, error) {
		return answer(status, fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"injected"%s}`,
			code, more)), nil
	}
}

func answer(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// cancelled is a transaction cancelled for these reasons.
func cancelled(reasons ...string) fault {
	all := make([]string, len(reasons))
	for i, r := range reasons {
		all[i] = fmt.Sprintf(`{"Code":%q}`, r)
	}
	return says(400, "TransactionCanceledException", `,"CancellationReasons":[`+strings.Join(all, ",")+`]`)
}

var (
	conflict  = says(400, "TransactionConflictException", "")
	throttled = says(400, "ProvisionedThroughputExceededException", "")
	failing   = says(500, "InternalServerError", "")
)

// lost is done, but its answer never comes.
func lost(_ []byte, pass func() (*http.Response, error)) (*http.Response, error) {
	r, err := pass()
	if err != nil {
		return nil, err
	}
	r.Body.Close()
	return nil, io.ErrUnexpectedEOF
}

// unreachable never leaves.
func unreachable([]byte, func() (*http.Response, error)) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: io.ErrClosedPipe}
}

func times(n int, f fault) []fault {
	all := make([]fault, n)
	for i := range all {
		all[i] = f
	}
	return all
}

// spoiled is a new table, and the way to it with these faults.
func spoiled(t *testing.T) (*dynamo.Table, *faults) {
	t.Helper()
	cfg, name := engines.ForTest(t, engines.DynamoDB), "faults-"+rand.Text()
	engines.Table(t, cfg, name, false)
	f := &faults{next: http.DefaultTransport}
	through := cfg.Copy()
	through.HTTPClient = aws.HTTPClient(f)
	return dynamo.New(through, name), f
}

var a, b = store.Key{PK: "a", SK: "1"}, store.Key{PK: "b", SK: "1"}

func add(k store.Key, conds ...store.Condition) store.Op {
	return store.Update(k, store.Set{Add: map[string]int64{"n": 1}}, conds...)
}

func count(t *testing.T, table store.Table, k store.Key) int64 {
	t.Helper()
	items, err := table.Get(t.Context(), k)
	require.NoError(t, err)
	if items[0] == nil {
		return 0
	}
	return items[0].Num["n"]
}

func tokens(t *testing.T, bodies []string) []string {
	t.Helper()
	var all []string
	for _, s := range bodies {
		var b struct{ ClientRequestToken string }
		require.NoError(t, json.Unmarshal([]byte(s), &b))
		all = append(all, b.ClientRequestToken)
	}
	return all
}

func TestWriteWhenOthersAreAtTheSameItems(t *testing.T) {
	t.Run("a single write that met a transaction or a throttle is made again", func(t *testing.T) {
		table, f := spoiled(t)
		f.plan = []fault{conflict, throttled, unreachable, conflict}
		ctx, m := store.WithMeter(t.Context())
		item, err := table.Write(ctx, events.Nothing, add(a))
		require.NoError(t, err)
		require.Equal(t, int64(1), item.Num["n"])
		require.Equal(t, 5, m.Calls())
	})
	t.Run("so is a transaction, each time as a new one", func(t *testing.T) {
		table, f := spoiled(t)
		f.plan = []fault{
			cancelled("None", "TransactionConflict"), cancelled("ThrottlingError", "None"),
			cancelled("TransactionConflict", "ConditionalCheckFailed"),
		}
		_, err := table.Write(t.Context(), events.Nothing, add(a), add(b, store.Absent()))
		require.NoError(t, err)
		require.Len(t, f.sent, 4)
		seen := map[string]bool{}
		for _, token := range tokens(t, f.sent) {
			seen[token] = true
		}
		require.Len(t, seen, 4)
		require.Equal(t, int64(1), count(t, table, a))
	})
	t.Run("conditions are held against the items as they are then", func(t *testing.T) {
		table, f := spoiled(t)
		_, err := table.Write(t.Context(), events.Nothing, add(b))
		require.NoError(t, err)
		f.plan = []fault{cancelled("None", "TransactionConflict")}
		_, err = table.Write(t.Context(), events.Nothing, add(a), add(b, store.Absent()))
		failure, ok := store.Failed(err, b)
		require.True(t, ok, "%v", err)
		require.Equal(t, int64(1), failure.Item.Num["n"])
		require.Zero(t, count(t, table, a))
	})
	t.Run("who never gets a turn is told within some two seconds and eight tries", func(t *testing.T) {
		for name, ops := range map[string][]store.Op{"single": {add(a)}, "transaction": {add(a), add(b)}} {
			t.Run(name, func(t *testing.T) {
				table, f := spoiled(t)
				f.plan = times(100, conflict)
				if len(ops) > 1 {
					f.plan = times(100, cancelled("TransactionConflict", "None"))
				}
				from := time.Now()
				_, err := table.Write(t.Context(), events.Nothing, ops...)
				require.ErrorIs(t, err, store.ErrUnavailable)
				require.Less(t, time.Since(from), 5*time.Second)
				require.Len(t, f.sent, 8)
			})
		}
	})
	t.Run("who does not want to wait any longer is let go", func(t *testing.T) {
		table, f := spoiled(t)
		ctx, cancel := context.WithCancel(t.Context())
		f.plan = append(times(1, func([]byte, func() (*http.Response, error)) (*http.Response, error) {
			cancel()
			return answer(400, `{"__type":"TransactionConflictException"}`), nil
		}), times(100, conflict)...)
		_, err := table.Write(ctx, events.Nothing, add(a))
		require.ErrorIs(t, err, store.ErrUnavailable)
		require.Len(t, f.sent, 1)
	})
}

func TestWriteWhenTheAnswerIsLost(t *testing.T) {
	t.Run("what is added is not added again", func(t *testing.T) {
		for name, f := range map[string]fault{"lost": lost, "failing": failing} {
			t.Run(name, func(t *testing.T) {
				table, faults := spoiled(t)
				faults.plan = []fault{f}
				_, err := table.Write(t.Context(), events.Nothing, add(a, store.AtMost("n", 10)))
				require.ErrorIs(t, err, store.ErrUnavailable)
				require.Len(t, faults.sent, 1)
				require.LessOrEqual(t, count(t, table, a), int64(1))
			})
		}
	})
	t.Run("a transaction is asked again under its token, and is done once", func(t *testing.T) {
		table, f := spoiled(t)
		f.plan = []fault{lost, lost}
		_, err := table.Write(t.Context(), events.Nothing, add(a), add(b, store.Absent()))
		require.NoError(t, err)
		all := tokens(t, f.sent)
		require.Equal(t, []string{all[0], all[0], all[0]}, all)
		require.Equal(t, int64(1), count(t, table, a))
	})
	t.Run("a put of a version is asked again and known by it", func(t *testing.T) {
		table, f := spoiled(t)
		f.plan = []fault{lost}
		item := store.Item{Key: a, Version: "v1", Doc: []byte("{}")}
		got, err := table.Write(t.Context(), events.Nothing, store.Put(item, store.Absent()))
		require.NoError(t, err)
		require.Equal(t, item, got)
		require.Len(t, f.sent, 2)
	})
	t.Run("an update from one version to the next adds once", func(t *testing.T) {
		table, f := spoiled(t)
		_, err := table.Write(t.Context(), events.Nothing, store.Put(store.Item{Key: a, Version: "v1"}))
		require.NoError(t, err)
		f.plan = []fault{lost}
		got, err := table.Write(t.Context(), events.Nothing,
			store.Update(a, store.Set{Version: "v2", Add: map[string]int64{"n": 1}}, store.VersionIs("v1")))
		require.NoError(t, err)
		require.Equal(t, int64(1), got.Num["n"])
	})
	t.Run("whose it is when another is there now nobody knows", func(t *testing.T) {
		table, f := spoiled(t)
		_, err := table.Write(t.Context(), events.Nothing, store.Put(store.Item{Key: a, Version: "another's"}))
		require.NoError(t, err)
		f.plan = []fault{failing}
		_, err = table.Write(t.Context(), events.Nothing, store.Put(store.Item{Key: a, Version: "v1"}, store.Absent()))
		require.ErrorIs(t, err, store.ErrUnavailable)
		require.False(t, store.IsCondition(err))
	})
}

func TestReadWhenTheStoreStumbles(t *testing.T) {
	t.Run("a throttled, lost or failed answer is asked for again", func(t *testing.T) {
		for name, f := range map[string]fault{"throttled": throttled, "lost": lost, "failing": failing,
			"unreachable": unreachable} {
			t.Run(name, func(t *testing.T) {
				table, faults := spoiled(t)
				faults.plan = []fault{f}
				items, err := table.Get(t.Context(), a)
				require.NoError(t, err)
				require.Equal(t, []*store.Item{nil}, items)
				faults.plan = []fault{f}
				_, err = table.Query(t.Context(), store.Query{PK: "a"})
				require.NoError(t, err)
				require.Len(t, faults.sent, 4)
			})
		}
	})
	t.Run("keys left unprocessed are asked for until all are there", func(t *testing.T) {
		table, f := spoiled(t)
		_, err := table.Write(t.Context(), events.Nothing, add(a), add(b))
		require.NoError(t, err)
		f.plan = times(3, func(body []byte, _ func() (*http.Response, error)) (*http.Response, error) {
			var in struct{ RequestItems json.RawMessage }
			err := json.Unmarshal(body, &in)
			return answer(200, `{"Responses":{},"UnprocessedKeys":`+string(in.RequestItems)+`}`), err
		})
		items, err := table.Get(t.Context(), a, store.Key{PK: "none", SK: "1"}, b)
		require.NoError(t, err)
		require.Equal(t, []bool{true, false, true}, []bool{items[0] != nil, items[1] != nil, items[2] != nil})
	})
	t.Run("a store that stays away is unavailable", func(t *testing.T) {
		table, f := spoiled(t)
		f.plan = times(100, failing)
		_, err := table.Get(t.Context(), a)
		require.ErrorIs(t, err, store.ErrUnavailable)
		_, err = table.Get(t.Context(), a, b)
		require.ErrorIs(t, err, store.ErrUnavailable)
		_, err = table.Write(t.Context(), events.Nothing, store.Check(a, store.Present()))
		require.ErrorIs(t, err, store.ErrUnavailable)
	})
}
