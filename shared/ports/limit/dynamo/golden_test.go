package dynamo

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"eshop/shared/ports/awsconf"
	"eshop/shared/ports/limit"
)

// answering is a DynamoDB that gives one answer, and keeps what it was asked last.
type answering struct{ answer, asked string }

// Do is http.Client's.
func (a *answering) Do(r *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	a.asked = string(asked)
	return &http.Response{StatusCode: http.StatusOK, Request: r, Body: io.NopCloser(strings.NewReader(a.answer)),
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}}, err
}

// TestWhatWasChargedOutlivesVersions holds both ways of an item against its form in release 0d89114, as rows of other
// tables are held in infra/proof/releases: two versions count in the same items while one is a canary.
func TestWhatWasChargedOutlivesVersions(t *testing.T) {
	at := time.Date(2026, 11, 26, 8, 30, 0, 0, time.UTC)
	item := `{"pk":{"S":"access#20261126"},"d":{"N":"93"},"h07":{"N":"50"},"h08":{"N":"43"},"ttl":{"N":"1795910400"}}`
	engine := &answering{answer: `{"Item":` + item + `}`}
	cfg := awsconf.New("eu-central-1", aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"})
	cfg.HTTPClient = engine
	c := New(cfg, "counters")
	limits := limit.Limits{Hourly: 100, Daily: 1000}
	s, err := c.Charge(t.Context(), "access", limits, 0, at)
	require.NoError(t, err)
	require.EqualValues(t, 100-43, s.Hourly)
	require.EqualValues(t, 1000-93, s.Daily)
	require.Contains(t, engine.asked, `{"pk":{"S":"access#20261126"}}`)

	engine.answer = `{"Attributes":` + item + `}`
	_, err = c.Charge(t.Context(), "access", limits, 1, at)
	require.NoError(t, err)
	for _, name := range []string{`"d"`, `"h08"`, `"ttl"`} {
		require.Contains(t, engine.asked, name)
	}
}
