package s3_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	client "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"eshop/shared/ports/awsconf"
	"eshop/shared/ports/blob/blobtest"
	"eshop/shared/ports/blob/s3"
)

var credentials = aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"}

// checked lets a presigned request pass only when signing its address again makes the same signature, and it is in
// time: the fake takes any.
func checked(t *testing.T, ahead *atomic.Int64, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" && !presigned(t, r, time.Now().Add(time.Duration(ahead.Load()))) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func presigned(t *testing.T, r *http.Request, now time.Time) bool {
	q := r.URL.Query()
	at, err := time.Parse("20060102T150405Z", q.Get("X-Amz-Date"))
	life, err2 := strconv.Atoi(q.Get("X-Amz-Expires"))
	if err != nil || err2 != nil || now.After(at.Add(time.Duration(life)*time.Second)) ||
		q.Get("X-Amz-SignedHeaders") != "host" {
		return false
	}
	given := q.Get("X-Amz-Signature")
	q.Del("X-Amz-Signature")
	for _, made := range []string{"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-SignedHeaders"} {
		q.Del(made)
	}
	again, err := http.NewRequest(r.Method, "http://"+r.Host+r.URL.EscapedPath()+"?"+q.Encode(), nil)
	require.NoError(t, err)
	signed, _, err := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }).
		PresignHTTP(context.Background(), credentials, again, "UNSIGNED-PAYLOAD", "s3", "eu-central-1", at)
	require.NoError(t, err)
	u, err := url.Parse(signed)
	require.NoError(t, err)
	return given != "" && u.Query().Get("X-Amz-Signature") == given
}

func open(t *testing.T) blobtest.World {
	return behind(t, func(h http.Handler) http.Handler { return h })
}

// behind is a bucket with something in front of its server.
func behind(t *testing.T, front func(http.Handler) http.Handler) blobtest.World {
	ahead := &atomic.Int64{}
	s := httptest.NewServer(front(checked(t, ahead, blobtest.NewestFirst(gofakes3.New(s3mem.New()).Server()))))
	t.Cleanup(s.Close)
	cfg := awsconf.New("eu-central-1", credentials)
	cfg.BaseEndpoint = aws.String(s.URL)
	c := client.NewFromConfig(cfg, func(o *client.Options) { o.UsePathStyle = true })
	_, err := c.CreateBucket(context.Background(), &client.CreateBucketInput{Bucket: aws.String("files")})
	require.NoError(t, err)
	_, err = c.PutBucketVersioning(context.Background(), &client.PutBucketVersioningInput{Bucket: aws.String("files"),
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled}})
	require.NoError(t, err)
	return blobtest.World{Bucket: s3.New(cfg, "files"), Pass: func(d time.Duration) { ahead.Add(int64(d)) }}
}

func TestBucket(t *testing.T) { blobtest.Run(t, open) }

func TestAnAddressSaysNothingOfTheBody(t *testing.T) {
	u, err := open(t).Bucket.UploadURL(context.Background(), "imports/a", time.Hour)
	require.NoError(t, err)
	parsed, err := url.Parse(u)
	require.NoError(t, err)
	require.Equal(t, "host", parsed.Query().Get("X-Amz-SignedHeaders"), "no type, no length, no checksum is signed")
	for name := range parsed.Query() {
		require.NotContains(t, name, "hecksum")
	}
}
