//go:build ignore

// A receiver of webhooks, of nothing but the standard library:
//
//	WEBHOOK_KEYS="whsec_…" PORT=8090 go run receiver.go
//
// WEBHOOK_KEYS holds one signing key, or two while you rotate. Put it behind something that speaks https.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var keys = parse(os.Getenv("WEBHOOK_KEYS"))

// parse makes the 32 bytes that sign of each whsec_… text.
func parse(texts string) (keys [][]byte) {
	for _, text := range strings.Fields(texts) {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whsec_"))
		if err != nil || len(key) != 32 {
			log.Fatal("WEBHOOK_KEYS holds a text that is no signing key")
		}
		keys = append(keys, key)
	}
	return keys
}

// genuine says whether one of our keys signed this body within the last five minutes.
func genuine(h http.Header, body []byte) bool {
	stamp := h.Get("X-Webhook-Timestamp")
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return false
	}
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(stamp + "."))
		mac.Write(body)
		want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
		if hmac.Equal([]byte(want), []byte(h.Get("X-Webhook-Signature"))) {
			return true
		}
	}
	return false
}

// webhook is the body of every event; data is the event's own.
type webhook struct {
	ID    string          `json:"id"`
	Event string          `json:"event"`
	Shop  string          `json:"shopId"`
	Data  json.RawMessage `json:"data"`
}

// taken are the ids of what was handed on. Yours belong into your database, with a unique index, for 40 days.
var taken = struct {
	sync.Mutex
	ids map[string]bool
}{ids: map[string]bool{}}

// take hands a webhook on, unless that was done before. Its id is kept only then: after an error it comes again.
func take(hook webhook) error {
	taken.Lock()
	defer taken.Unlock()
	if taken.ids[hook.ID] {
		return nil
	}
	// Put it into a queue of your own here: answer, then do the work.
	if _, err := fmt.Println(hook.Event, hook.ID, string(hook.Data)); err != nil {
		return err
	}
	taken.ids[hook.ID] = true
	return nil
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || !genuine(r.Header, body) {
		http.Error(w, "not signed by the platform", http.StatusUnauthorized)
		return
	}
	var hook webhook
	if err := json.Unmarshal(body, &hook); err != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	if hook.Event == "ping" { // the nonce in the answer proves that this address is yours
		w.Write(hook.Data)
		return
	}
	if err := take(hook); err != nil {
		http.Error(w, "cannot be taken now", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr())
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
