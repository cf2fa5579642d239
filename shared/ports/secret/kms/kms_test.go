package kms

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"eshop/shared/ports/secret"
	"eshop/shared/ports/secret/secrettest"
)

const (
	alias = "alias/eshop"
	keyID = "1234abcd-12ab-34cd-56ef-1234567890ab"
)

// service speaks as much of KMS's JSON protocol as is used here, with a master key of its own.
type service struct {
	aead cipher.AEAD

	mu    sync.Mutex
	calls map[string]int
	fails string // the type of the error that every call gets
	once  bool   // of the next call alone
	hangs bool   // no call is answered
	seen  bytes.Buffer
}

type message struct {
	KeyID             string `json:"KeyId,omitempty"`
	KeySpec           string `json:",omitempty"`
	CiphertextBlob    []byte `json:",omitempty"`
	Plaintext         []byte `json:",omitempty"`
	EncryptionContext map[string]string
}

func start(t *testing.T) (*service, aws.Config) {
	block, err := aes.NewCipher(bytes.Repeat([]byte{9}, 32))
	require.NoError(t, err)
	aead, err := cipher.NewGCMWithRandomNonce(block)
	require.NoError(t, err)
	s := &service{aead: aead, calls: map[string]int{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	})
	return s, aws.Config{Region: "eu-central-1", BaseEndpoint: &server.URL, Credentials: credentials,
		Retryer: func() aws.Retryer { return aws.NopRetryer{} }}
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	hangs := s.hangs
	s.mu.Unlock()
	if hangs {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	operation := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "TrentService.")
	s.calls[operation]++
	var in message
	failure := s.fails
	if s.once {
		s.fails, s.once = "", false
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil ||
		r.Header.Get("Content-Type") != "application/x-amz-json-1.1" {
		failure = "ValidationException"
	}
	out, refused := s.answer(operation, in)
	if failure == "" {
		failure = refused
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	if failure != "" {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"__type": failure, "message": "no"})
		return
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (s *service) answer(operation string, in message) (out message, failure string) {
	context, _ := json.Marshal(in.EncryptionContext)
	if in.KeyID != keyID && (in.KeyID != alias || operation == "Decrypt") &&
		(in.KeyID != "" || operation != "Decrypt") {
		return out, "NotFoundException"
	}
	out.KeyID = "arn:aws:kms:eu-central-1:000000000000:key/1"
	switch operation {
	case "GenerateDataKey":
		out.Plaintext = make([]byte, 32)
		_, _ = rand.Read(out.Plaintext)
		out.CiphertextBlob = s.aead.Seal(nil, nil, out.Plaintext, context)
		s.seen.Write(out.CiphertextBlob)
	case "Decrypt":
		plain, err := s.aead.Open(nil, nil, in.CiphertextBlob, context)
		if err != nil {
			return out, "InvalidCiphertextException"
		}
		out.Plaintext = plain
	default:
		return out, "UnknownOperationException"
	}
	return out, ""
}

func TestWhatWasSealedForOneUseOpensForNoOther(t *testing.T) {
	_, config := start(t)
	sealed := seal(t, New(config, keyID, "signing"), "n")
	_, err := New(config, keyID, "secrets").Open(t.Context(), "n", sealed)
	require.ErrorIs(t, err, secret.ErrForged)
	plain, err := New(config, keyID, "signing").Open(t.Context(), "n", sealed)
	require.NoError(t, err)
	require.NotEmpty(t, plain)
}

func TestKeysKeepTheirPromises(t *testing.T) {
	_, config := start(t)
	secrettest.Run(t, func(*testing.T) secret.Keys { return New(config, keyID, "test") })
}

func TestKeysBehindAnAliasKeepTheirPromises(t *testing.T) {
	_, config := start(t)
	secrettest.Run(t, func(*testing.T) secret.Keys { return New(config, alias, "test") })
}

var ctx = context.Background()

func seal(t *testing.T, k *Keys, name string) []byte {
	t.Helper()
	sealed, err := k.Seal(ctx, name, []byte("plain"))
	require.NoError(t, err)
	return sealed
}

func open(t *testing.T, k *Keys, name string, sealed []byte) {
	t.Helper()
	plain, err := k.Open(ctx, name, sealed)
	require.NoError(t, err)
	require.Equal(t, "plain", string(plain))
}

func TestOneDataKeyServesManyTextsForItsLife(t *testing.T) {
	s, config := start(t)
	k := New(config, keyID, "test")
	now := time.Now()
	k.now = func() time.Time { return now }
	var first []byte
	for i := range 100 {
		sealed := seal(t, k, fmt.Sprint(i))
		open(t, k, fmt.Sprint(i), sealed)
		if first == nil {
			first = sealed
		}
	}
	require.Equal(t, map[string]int{"GenerateDataKey": 1}, s.calls)
	now = now.Add(Life)
	seal(t, k, "later")
	open(t, k, "0", first)
	open(t, k, "0", first)
	require.Equal(t, map[string]int{"GenerateDataKey": 2, "Decrypt": 1}, s.calls)
	another := New(config, keyID, "test")
	open(t, another, "0", first)
	open(t, another, "0", first)
	require.Equal(t, map[string]int{"GenerateDataKey": 2, "Decrypt": 2}, s.calls)
}

func TestADataKeyIsNotUsedWithoutEnd(t *testing.T) {
	s, config := start(t)
	k := New(config, keyID, "test")
	seal(t, k, "n")
	k.sealed = maxSealed
	seal(t, k, "n")
	require.Equal(t, 2, s.calls["GenerateDataKey"])
}

func TestAServiceThatRefusesIsNoForgery(t *testing.T) {
	s, config := start(t)
	sealed := seal(t, New(config, keyID, "test"), "n")
	for _, kind := range []string{"AccessDeniedException", "ThrottlingException", "KMSInternalException",
		"DisabledException"} {
		s.fails = kind
		_, err := New(config, keyID, "test").Open(ctx, "n", sealed)
		require.Error(t, err)
		require.NotErrorIs(t, err, secret.ErrForged)
		_, err = New(config, keyID, "test").Seal(ctx, "n", []byte("plain"))
		require.ErrorContains(t, err, kind)
		require.NotContains(t, err.Error(), "plain")
	}
	s.fails = "IncorrectKeyException"
	_, err := New(config, keyID, "test").Open(ctx, "n", sealed)
	require.ErrorIs(t, err, secret.ErrForged)
}

func TestASealedTextCarriesItsDataKeyEncrypted(t *testing.T) {
	s, config := start(t)
	sealed := seal(t, New(config, keyID, "test"), "n")
	require.True(t, bytes.Contains(sealed, s.seen.Bytes()))
}

func TestManyAtOnceAskForOneDataKey(t *testing.T) {
	s, config := start(t)
	k := New(config, keyID, "test")
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() { _, _ = k.Seal(ctx, "n", nil) })
	}
	wg.Wait()
	require.Equal(t, 1, s.calls["GenerateDataKey"])
}

func TestACallThatFailsOnceIsMadeOnceMore(t *testing.T) {
	s, config := start(t)
	s.fails, s.once = "ThrottlingException", true
	sealed := seal(t, New(config, keyID, "signing"), "n")
	s.mu.Lock()
	s.fails, s.once = "ThrottlingException", true
	s.mu.Unlock()
	_, err := New(config, keyID, "signing").Open(t.Context(), "n", sealed)
	require.NoError(t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Equal(t, map[string]int{"GenerateDataKey": 2, "Decrypt": 2}, s.calls)
}

func TestAKMSThatHangsHoldsNobodyLongerThanTheyCanWait(t *testing.T) {
	s, config := start(t)
	s.hangs = true
	k := New(config, keyID, "signing")
	first := make(chan error)
	go func() { _, err := k.Seal(t.Context(), "n", nil); first <- err }()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	require.Eventually(t, func() bool { return len(k.making) == 1 }, time.Minute, time.Millisecond)
	_, err := k.Seal(over, "n", nil)
	require.ErrorIs(t, err, context.Canceled, "who waits for the one that makes a key heeds their own time")
	require.ErrorIs(t, <-first, context.DeadlineExceeded, "and no call waits for ever")
}
