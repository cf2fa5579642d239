// Command unheard hands changes over again that readers of the main table's stream have given up. Lambda has put each
// of them into the bucket of the environment: the whole event, and whom it was for.
//
//	make unheard ENV=production
//
// It calls that function with that event, and deletes the object when the function has handled all of it. What is not
// handled stays for another time, and what is handled twice is told twice at most, under the same webhook id. It wants
// the rights to list buckets, to list, read and delete objects, and to call functions.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awslambda "github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"eshop/shared/host/lambda"
	"eshop/shared/ports/awsconf"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "unheard:", err)
		stop()
		os.Exit(1)
	}
}

// run hands over all that the bucket of the environment ENV has, and says in a line what became of each.
func run(ctx context.Context, getenv func(string) string, say io.Writer) error {
	cfg, err := awsconf.Load(getenv)
	if err != nil {
		return err
	}
	cfg.Retryer = nil // the clients' own: each of these calls can be made twice
	files := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = cfg.BaseEndpoint != nil })
	bucket, err := bucketOf(ctx, files, getenv("ENV"), getenv("BUCKET"))
	if err != nil {
		return err
	}
	done, left := 0, 0
	pages := s3.NewListObjectsV2Paginator(files, &s3.ListObjectsV2Input{Bucket: &bucket,
		Prefix: aws.String(lambda.Unheard)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, object := range page.Contents {
			at := &s3.GetObjectInput{Bucket: &bucket, Key: object.Key}
			what, err := handOver(ctx, files, awslambda.NewFromConfig(cfg), at)
			if err == nil {
				_, err = files.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: object.Key})
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				left++
				fmt.Fprintf(say, "%s stays: %s: %v\n", *object.Key, what, err)
				continue
			}
			done++
			fmt.Fprintf(say, "%s is done: %s\n", *object.Key, what)
		}
	}
	fmt.Fprintf(say, "%d handed over, %d left in %s\n", done, left, bucket)
	if left > 0 {
		return errors.New("mend what the lines above say, then ask again")
	}
	return nil
}

// bucketOf is the environment's bucket in the region, by the name that CloudFormation has given it; of several the one
// of that name. So a name that was meant for another environment is none.
func bucketOf(ctx context.Context, files *s3.Client, environment, name string) (string, error) {
	begins := strings.ToLower("eshop-" + environment + "-data-files")
	all, err := files.ListBuckets(ctx, &s3.ListBucketsInput{Prefix: &begins,
		BucketRegion: aws.String(files.Options().Region)})
	if err != nil {
		return "", err
	}
	var found []string
	for _, b := range all.Buckets {
		if strings.HasPrefix(*b.Name, begins) && (name == "" || name == *b.Name) {
			found = append(found, *b.Name)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("one bucket's name is to begin with %s, and %q do: say which, BUCKET=…", begins,
			found)
	}
	return found[0], nil
}

// record is what Lambda puts into the bucket: the event as text, and the ARN of whom it was for.
type record struct {
	RequestContext struct{ FunctionArn string }
	Payload        string
}

// handOver calls the function of a record, and returns what it was called with. It is nil when all was handled.
func handOver(ctx context.Context, files *s3.Client, functions *awslambda.Client, at *s3.GetObjectInput,
) (what string, err error) {
	what = "not read"
	o, err := files.GetObject(ctx, at)
	if err != nil {
		return what, err
	}
	defer o.Body.Close()
	var record record
	if err := json.NewDecoder(o.Body).Decode(&record); err != nil {
		return what, err
	}
	var event struct{ Records []json.RawMessage }
	if err := json.Unmarshal([]byte(record.Payload), &event); err != nil {
		return what, fmt.Errorf("it holds no records of a stream: %w", err)
	} else if len(event.Records) == 0 {
		return what, errors.New("it holds no records of a stream")
	}
	arn := strings.Split(record.RequestContext.FunctionArn, ":")
	if len(arn) < 7 {
		return what, fmt.Errorf("%q names no function", record.RequestContext.FunctionArn)
	}
	what = fmt.Sprintf("%d records for %s", len(event.Records), arn[6])
	got, err := functions.Invoke(ctx, &awslambda.InvokeInput{FunctionName: &arn[6], Qualifier: aws.String(lambda.Live),
		Payload: []byte(record.Payload)})
	if err != nil {
		return what, err
	}
	var answer struct {
		BatchItemFailures []struct{ ItemIdentifier string }
	}
	if got.FunctionError != nil || json.Unmarshal(got.Payload, &answer) != nil {
		return what, fmt.Errorf("it answers %.300s", got.Payload)
	}
	if len(answer.BatchItemFailures) > 0 {
		return what, fmt.Errorf("it fails at record %s; its log says why", answer.BatchItemFailures[0].ItemIdentifier)
	}
	return what, nil
}
