package signature

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The vector (contract, "Signing keys").
const (
	text      = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	timestamp = int64(1795226712)
	body      = `{"id":"01","event":"ping","data":{"nonce":"n"}}`
	ofHeader  = "sha256=badde4fd30cf6771afe04165cd747245ef02ae1eccf434be78c1e8320ef308e4"
	standard  = "v1,dHB+9rxMWmt0n6y4cIrdCk8qW4B3qdKwWKGI1OYY+K0="
)

func vector(t *testing.T) Key {
	k, err := Parse(text)
	require.NoError(t, err)
	return k
}

func other() Key { return New(bytes.NewReader(bytes.Repeat([]byte{7}, size))) }

func TestTheContractsVector(t *testing.T) {
	k := vector(t)
	require.Equal(t, ofHeader, Hex(k, timestamp, []byte(body)))
	require.Equal(t, standard, Standard("01", timestamp, []byte(body), k))
	require.Equal(t, text, k.Text())
	require.Equal(t, "630dcd2966c43366", k.Fingerprint())
}

func TestStandardHasASignatureOfEachKey(t *testing.T) {
	got := Standard("01", timestamp, []byte(body), other(), vector(t))
	require.Len(t, strings.Split(got, " "), 2)
	require.True(t, strings.HasSuffix(got, " "+standard))
	require.Empty(t, Standard("01", timestamp, []byte(body)))
}

func TestAReceiverVerifies(t *testing.T) {
	k := vector(t)
	require.True(t, Verify(ofHeader, timestamp, []byte(body), k))
	require.True(t, Verify(ofHeader, timestamp, []byte(body), other(), k), "either key, while they change")
	for name, ok := range map[string]bool{
		"another key":    Verify(ofHeader, timestamp, []byte(body), other()),
		"no key":         Verify(ofHeader, timestamp, []byte(body)),
		"another time":   Verify(ofHeader, timestamp+1, []byte(body), k),
		"another body":   Verify(ofHeader, timestamp, []byte(body+" "), k),
		"no signature":   Verify("", timestamp, []byte(body), k),
		"upper case":     Verify(strings.ToUpper(ofHeader), timestamp, []byte(body), k),
		"one digit less": Verify(ofHeader[:len(ofHeader)-1], timestamp, []byte(body), k),
	} {
		require.False(t, ok, name)
	}
}

func TestFreshIsFiveMinutesEitherWay(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(timestamp+s, 0) }
	require.True(t, Fresh(timestamp, at(0)))
	require.True(t, Fresh(timestamp, at(300)))
	require.True(t, Fresh(timestamp, at(-300)))
	require.False(t, Fresh(timestamp, at(301)))
	require.False(t, Fresh(timestamp, at(-301)))
}

func TestWhatIsNoKeyIsRefusedWithoutBeingTold(t *testing.T) {
	for _, s := range []string{"", "whsec_", text[6:], text[:len(text)-1], text + "=", "whsec_" + text,
		text[:20] + "\n" + text[20:],
		"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=", "whsec_AAEC", "WHSEC_" + text[6:], "whsec_secretsecret"} {
		_, err := Parse(s)
		require.ErrorIs(t, err, ErrKey, "%q", s)
		require.Equal(t, ErrKey.Error(), err.Error())
	}
	_, err := FromBytes(make([]byte, 31))
	require.ErrorIs(t, err, ErrKey)
}

func TestAKeyComesBackFromItsTextAndItsBytes(t *testing.T) {
	k := other()
	fromText, err := Parse(k.Text())
	require.NoError(t, err)
	fromBytes, err := FromBytes(k.Bytes())
	require.NoError(t, err)
	require.Equal(t, []Key{k, k}, []Key{fromText, fromBytes})
}

func TestAKeyIsNeverShownByMistake(t *testing.T) {
	k := vector(t)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", k)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "key", k)
	encoded, err := json.Marshal(map[string]any{"key": k})
	require.NoError(t, err)
	shown := log.String() + string(encoded) + fmt.Sprintf("%v %+v %#v %s %x %q", k, k, k, k, k, k)
	for _, secret := range []string{text[6:30], "000102030405", "0 1 2 3 4", "0x0, 0x1"} {
		require.NotContains(t, shown, secret)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(text)
	f.Add("whsec_\r\n")
	f.Fuzz(func(t *testing.T, s string) {
		if k, err := Parse(s); err == nil {
			require.Equal(t, s, k.Text())
		}
	})
}
