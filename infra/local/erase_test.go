package local

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"eshop/infra/local/backup"
)

// planted are values of a person that can be found again wherever they lie.
type planted struct{ values []string }

// value is a new one. It is a word by which a search would find it.
func (p *planted) value() string {
	v := fmt.Sprintf("zq%02dxv%s", len(p.values), strings.ToLower(rand.Text()[:6]))
	p.values = append(p.values, v)
	return v
}

func (p *planted) email() string { return p.value() + "@example.com" }

func (p *planted) address(more ...string) map[string]any {
	a := map[string]any{"street": p.value(), "city": p.value(), "zip": p.value(), "country": "CZ"}
	for _, name := range more {
		a[name] = p.value()
	}
	return a
}

// in are the values that lie in some bytes, whatever their case.
func (p *planted) in(b []byte) (found []string) {
	b = bytes.ToLower(b)
	for _, v := range p.values {
		if bytes.Contains(b, []byte(v)) {
			found = append(found, v)
		}
	}
	return found
}

// TestNothingOfAnErasedCustomerIsLeft plants more than 50 values of a customer and looks for them through the API,
// in every row and every other file, the log and a backup.
func TestNothingOfAnErasedCustomerIsLeft(t *testing.T) {
	log, data := &written{}, t.TempDir()
	s, err := Start(context.Background(), Settings{Addr: "127.0.0.1:0", Data: data, Environment: "test", Demo: true,
		Now: time.Now, Random: rand.Reader,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	require.NoError(t, err)
	stopped := false
	t.Cleanup(func() {
		if !stopped {
			require.NoError(t, s.Stop())
		}
	})
	key := "" // the next call's Idempotency-Key; "": a new one
	call := func(want int, token, method, path string, body any) (answer map[string]any) {
		t.Helper()
		sent, err := json.Marshal(body)
		require.NoError(t, err)
		r, err := http.NewRequest(method, s.BaseURL+path, bytes.NewReader(sent))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", cmp.Or(key, rand.Text()))
		got, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer got.Body.Close()
		text, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		require.Equal(t, want, got.StatusCode, "%s %s: %s", method, path, text)
		if len(text) > 0 {
			require.NoError(t, json.Unmarshal(text, &answer))
		}
		return answer
	}
	token, p := s.Run.Demo.Token, &planted{}
	addon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer addon.Close()
	receiver := call(201, token, "POST", "/api-engine/webhooks",
		map[string]any{"url": addon.URL, "events": []string{"productChange"}})["id"].(string)
	require.Eventually(t, func() bool {
		return call(200, token, "GET", "/api-engine/webhooks/"+receiver, nil)["state"] == "enabled"
	}, time.Minute, 10*time.Millisecond)
	product := call(200, token, "GET", "/api-engine/products?itemsPerPage=1", nil)["items"].([]any)[0].(map[string]any)
	line := map[string]any{"productId": product["id"], "quantity": 1}
	if variants, _ := product["variants"].([]any); len(variants) > 0 {
		line["variantId"] = variants[0].(map[string]any)["id"]
	}
	made := map[string]any{"email": p.email(),
		"externalId": p.value(), "firstName": p.value(), "lastName": p.value(), "phone": p.value(), "note": p.value(),
		"company": p.value(), "companyId": p.value(), "vatId": p.value(), "billingAddress": p.address(),
		"deliveryAddress": p.address()}
	key = "once"
	customer := call(201, token, "POST", "/api-engine/customers", made)["id"].(string)
	key = ""
	call(200, token, "PATCH", "/api-engine/customers/"+customer, map[string]any{"email": p.email(), "note": p.value()})
	var orders []string
	for range 2 {
		line["note"] = p.value()
		order := call(201, token, "POST", "/api-engine/orders", map[string]any{"customerId": customer,
			"email": p.email(), "phone": p.value(), "note": p.value(), "items": []any{line},
			"billingAddress":  p.address("firstName", "lastName", "company", "companyId", "vatId"),
			"deliveryAddress": p.address("firstName", "lastName")})["id"].(string)
		call(200, token, "PATCH", "/api-engine/orders/"+order, map[string]any{"note": p.value()})
		call(200, token, "PATCH", "/api-engine/orders/"+order+"/order-delivery-payment",
			map[string]any{"trackingNumber": p.value()})
		orders = append(orders, order)
	}
	require.GreaterOrEqual(t, len(p.values), 50)
	for _, v := range p.values[3:5] { // the index has read of it
		require.NotEmpty(t, call(200, token, "GET", "/api-engine/customers?q="+v, nil)["items"], v)
	}

	before := call(200, token, "GET", "/api-engine/orders/"+orders[0], nil)
	path := "/api-engine/customers/" + customer + "?erase=true"
	want := map[string]any{"id": customer, "state": "running", "erased": 3.}
	require.Equal(t, want, call(202, token, "DELETE", path, nil))
	require.Equal(t, want, call(202, token, "DELETE", path, nil), "asked again it does nothing")
	key = "once" // a request that was sent again makes nobody anew
	require.Empty(t, call(204, token, "POST", "/api-engine/customers", made))
	key = ""
	call(404, token, "GET", "/api-engine/customers/"+customer, nil)
	after := call(200, token, "GET", "/api-engine/orders/"+orders[0], nil)
	for _, kept := range []string{"number", "customerId", "currency", "totals", "stateId", "created"} {
		require.Equal(t, before[kept], after[kept], kept)
	}
	require.Equal(t, "CZ", after["billingAddress"].(map[string]any)["country"])
	require.Empty(t, call(200, token, "GET", "/api-engine/orders?q="+p.values[len(p.values)-1], nil)["items"])
	require.Eventually(t, func() bool {
		told, _ := call(200, s.Run.OperatorToken, "GET", "/operator/erasures/"+customer, nil)["told"].([]any)
		return slices.ContainsFunc(told, func(one any) bool {
			r := one.(map[string]any)
			return r["receiverId"] == receiver && r["state"] == "delivered" && r["confirmedAt"] != nil
		})
	}, time.Minute, 10*time.Millisecond, "the receiver takes other events only, and is told all the same")

	call(200, s.Run.OperatorToken, "POST", "/operator/clock", map[string]any{"advance": "1m"})
	require.Eventually(t, func() bool {
		return call(200, s.Run.OperatorToken, "GET", "/operator/erasures/"+customer, nil)["state"] == "done"
	}, time.Minute, 10*time.Millisecond)

	for _, at := range []string{"/api-engine/orders", "/api-engine/customers", "/api-engine/changes",
		"/api-engine/webhook-deliveries"} {
		_, text := ask(t, s, token, at+"?itemsPerPage=250")
		require.Empty(t, p.in([]byte(text)), at)
	}
	_, sent := ask(t, s, s.Run.OperatorToken, BackupPath)
	require.Greater(t, len(sent), 100_000)
	archived, restored := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "restored")
	require.NoError(t, os.WriteFile(archived, []byte(sent), 0o600))
	whole, err := backup.Open(archived)
	require.NoError(t, err)
	require.NoError(t, errors.Join(whole.Unpack(restored, 1<<30), whole.Close()))
	stopped = true
	require.NoError(t, s.Stop())
	for _, folder := range []string{data, restored} { // a backup that is made afterwards, too
		looksThrough(t, folder, p)
	}
	require.NotEmpty(t, log.b.Bytes()) // nobody writes any more
	require.Empty(t, p.in(log.b.Bytes()), "the log")
}

// looksThrough looks for the values in all rows of a folder's data file, and in all its other files. Pages of the data
// file that are free may hold them until they are used again.
func looksThrough(t *testing.T, folder string, p *planted) {
	file, err := bbolt.Open(filepath.Join(folder, DataFile), 0o600, &bbolt.Options{ReadOnly: true})
	require.NoError(t, err)
	defer file.Close()
	rows := 0
	require.NoError(t, file.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(bucket []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				rows++
				require.Empty(t, p.in(slices.Concat(k, v)), "%s %s", bucket, k)
				return nil
			})
		})
	}))
	require.Greater(t, rows, 1000)
	require.NoError(t, filepath.WalkDir(folder, func(path string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() || f.Name() == DataFile {
			return err
		}
		b, err := os.ReadFile(path)
		require.Empty(t, p.in(b), path)
		return err
	}))
}
