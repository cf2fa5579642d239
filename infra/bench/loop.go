package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"eshop/shared/webhook/signature"
)

// plain is what the plain loop of signed POSTs came to, in a process of its own as the platform is.
type plain struct {
	result
	CPU       time.Duration
	PSS, Anon float64 // MiB, at its end
}

// loop runs the plain loop in a process of its own, and returns what it came to. The process dies with this one.
func loop(url string, c int, span time.Duration) (p plain, err error) {
	out, err := process("loop", url, strconv.Itoa(c), span.String()).Output()
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(out, &p)
}

// looped is the other process. It posts signed bodies over kept connections with its workers, as fast as it can: no
// sender of webhooks can be faster on this machine.
func looped(url, workers, span string) error {
	count, err := strconv.Atoi(workers)
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(span)
	if err != nil {
		return err
	}
	key := signature.New(zeros{})
	r := load(count, d, 0, func(int) *http.Request { return signed(key, url) })
	pss, anon := memory(os.Getpid())
	return json.NewEncoder(os.Stdout).Encode(plain{result: r, CPU: cpu(os.Getpid()), PSS: pss, Anon: anon})
}

// signed is a POST with a webhook's body and the platform's own signature, and with no other header of a webhook.
func signed(key signature.Key, to string) *http.Request {
	now := time.Now().Unix()
	body := []byte(`{"id":"01","event":"productChange",` +
		`"data":{"products":[{"id":"01J00000000000000000000000","variantIds":[]}]}}`)
	r, err := http.NewRequest(http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		panic(err) // addresses are the bench's own
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Webhook-Timestamp", fmt.Sprint(now))
	r.Header.Set("X-Webhook-Signature", signature.Hex(key, now, body))
	return r
}

// zeros is randomness enough for a key that nobody keeps.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }
