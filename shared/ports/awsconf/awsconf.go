// Package awsconf makes the configuration that all AWS clients of a process share, and reads their errors. The
// configuration is made by hand, because config.LoadDefaultConfig costs 5 ms of a cold start for sources that a Lambda
// never has.
package awsconf

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// Load reads what the Lambda environment gives its functions (AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
// AWS_SESSION_TOKEN) and AWS_ENDPOINT_URL, which leads all services to one other address. Nothing is tried twice
// unless the caller knows that it can be: writes are retried by those who know what they write.
func Load(getenv func(string) string) (aws.Config, error) {
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		if getenv(name) == "" {
			return aws.Config{}, fmt.Errorf("awsconf: %s is not set", name)
		}
	}
	config := New(getenv("AWS_REGION"), aws.Credentials{
		AccessKeyID:     getenv("AWS_ACCESS_KEY_ID"),
		SecretAccessKey: getenv("AWS_SECRET_ACCESS_KEY"),
		SessionToken:    getenv("AWS_SESSION_TOKEN"),
		Source:          "environment",
	})
	if url := getenv("AWS_ENDPOINT_URL"); url != "" {
		config.BaseEndpoint = aws.String(url)
	}
	return config, nil
}

// New is a configuration with these credentials, which a Lambda's environment keeps for its whole life.
func New(region string, credentials aws.Credentials) aws.Config {
	return aws.Config{
		Region:     region,
		HTTPClient: client(),
		Retryer:    func() aws.Retryer { return aws.NopRetryer{} },
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return credentials, nil
		}),
	}
}

// client keeps connections for 45 s of the wall clock, which goes on while a Lambda is frozen: one that the other side
// has closed meanwhile would turn a write into an unknown outcome. How long an answer may take is its caller's context.
func client() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: time.Second, KeepAlive: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout: 2 * time.Second,
			MaxIdleConns:        256,
			MaxIdleConnsPerHost: 128, // a hundred attempts write their results side by side
			IdleConnTimeout:     45 * time.Second,
			ForceAttemptHTTP2:   false,
		},
	}
}

// Code is AWS's name of an error, without the name space that some engines put before it; "" for any other error.
func Code(err error) string {
	refused, is := errors.AsType[smithy.APIError](err)
	if !is {
		return ""
	}
	code := refused.ErrorCode()
	return code[strings.LastIndexByte(code, '#')+1:]
}

// Status is the HTTP status of the answer that is an error; 0 if there was no answer.
func Status(err error) int {
	answered, is := errors.AsType[*smithyhttp.ResponseError](err)
	if !is {
		return 0
	}
	return answered.HTTPStatusCode()
}
