// Package s3 is a blob.Bucket in an S3 bucket that keeps versions. A reader names the version that it reads, so a later
// upload to the same key never mixes into what is being read.
//
// Each call of the interface but Write is one call of S3. Its errors come as those of package blob: ErrNotFound, or
// ErrUnavailable when S3 gave no answer, failed, or asks for fewer calls. All others are returned as they are: they
// mean a fault of the program or of its permissions.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"eshop/shared/ports/awsconf"
	"eshop/shared/ports/blob"
)

// Bucket is an S3 bucket. Its methods may be called from several goroutines.
type Bucket struct {
	client *s3.Client
	sign   *s3.PresignClient
	name   string
}

var _ blob.Bucket = (*Bucket)(nil)

// answerTimeout is how long one answer is waited for: S3 begins one within a second, even under load. The bytes of an
// object may take longer.
const answerTimeout = 10 * time.Second

// New is the bucket of that name. An address other than AWS's own is asked in path style.
func New(cfg aws.Config, name string) *Bucket {
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = cfg.BaseEndpoint != nil
		// A checksum in a presigned address would be that of the empty body it is signed with.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	})
	return &Bucket{client: client, sign: s3.NewPresignClient(client), name: name}
}

// Put is one PutObject.
func (b *Bucket) Put(ctx context.Context, key string, body []byte) error {
	if !blob.Valid(key) {
		return fmt.Errorf("s3: %q is no key", key)
	}
	return b.put(ctx, key, body, answerTimeout)
}

// put is Put of a valid key, within a time.
func (b *Bucket) put(ctx context.Context, key string, body []byte, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err := b.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &b.name, Key: &key, Body: bytes.NewReader(body)})
	return blobError(err)
}

// Open is one GetObject of a version's bytes from an offset to its end. There is no limit on the time for the whole: a
// large object is read for as long as ctx lets it.
func (b *Bucket) Open(ctx context.Context, key, tag string, from int64) (io.ReadCloser, error) {
	in := &s3.GetObjectInput{Bucket: &b.name, Key: &key, VersionId: &tag}
	if from > 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", from))
	}
	out, err := b.client.GetObject(ctx, in)
	if awsconf.Status(err) == http.StatusRequestedRangeNotSatisfiable { // from is the object's end
		return io.NopCloser(strings.NewReader("")), nil
	}
	if err != nil {
		return nil, blobError(err)
	}
	return out.Body, nil
}

// Stat is one HeadObject. The tag is the version.
func (b *Bucket) Stat(ctx context.Context, key string) (blob.Info, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	out, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: &key})
	if err != nil {
		return blob.Info{}, blobError(err)
	}
	return blob.Info{Size: aws.ToInt64(out.ContentLength), Tag: aws.ToString(out.VersionId)}, nil
}

// First is the oldest version of the key: one ListObjectVersions, unless the address was used many hundred times. S3
// lists versions newest first, so the last one seen is the oldest.
//
// A deletion puts a marker on top of the versions. A key whose newest entry is such a marker is not found, although its
// versions are still there.
func (b *Bucket) First(ctx context.Context, key string) (first blob.Info, err error) {
	pages := s3.NewListObjectVersionsPaginator(b.client, &s3.ListObjectVersionsInput{Bucket: &b.name, Prefix: &key})
	for pages.HasMorePages() {
		page, err := b.versions(ctx, pages)
		if err != nil {
			return blob.Info{}, blobError(err)
		}
		for _, v := range page.Versions { // newest first
			// Prefix finds longer keys, too.
			if aws.ToString(v.Key) == key {
				first = blob.Info{Size: aws.ToInt64(v.Size), Tag: aws.ToString(v.VersionId)}
			}
		}
		deleted := func(m types.DeleteMarkerEntry) bool { return aws.ToString(m.Key) == key && aws.ToBool(m.IsLatest) }
		if slices.ContainsFunc(page.DeleteMarkers, deleted) {
			return blob.Info{}, blob.ErrNotFound
		}
	}
	if first.Tag == "" {
		return blob.Info{}, blob.ErrNotFound
	}
	return first, nil
}

// versions reads one page of a listing of versions, within the time of one answer.
func (b *Bucket) versions(
	ctx context.Context, pages *s3.ListObjectVersionsPaginator,
) (*s3.ListObjectVersionsOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	return pages.NextPage(ctx)
}

// Delete is one DeleteObject: of a versioned bucket a marker, behind which the lifecycle takes the bytes away.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &key})
	if err = blobError(err); errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	return err
}

// UploadURL is a presigned address: S3 itself answers 200, or 403 when life is over or the address is wrong. That there
// is an object already refuses a presigned PUT only by a header If-None-Match, which every sender would have to send if
// the address were signed with it. So a second PUT makes a further version, which nobody reads. A sender who wants it
// refused sends `If-None-Match: *` and is answered 412.
func (b *Bucket) UploadURL(ctx context.Context, key string, life time.Duration) (string, error) {
	if !blob.Valid(key) {
		return "", fmt.Errorf("s3: %q is no key", key)
	}
	r, err := b.sign.PresignPutObject(ctx, &s3.PutObjectInput{Bucket: &b.name, Key: &key}, s3.WithPresignExpires(life))
	if err != nil {
		return "", err
	}
	return r.URL, nil
}

// DownloadURL is a presigned address: S3 itself answers. It ends with the credentials that it is signed with, if those
// end before life does.
func (b *Bucket) DownloadURL(
	ctx context.Context, key string, as blob.Download, life time.Duration,
) (string, error) {
	if !blob.Valid(key) {
		return "", fmt.Errorf("s3: %q is no key", key)
	}
	disposition, err := as.Disposition()
	if err != nil {
		return "", err
	}
	r, err := b.sign.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: &key,
		ResponseContentDisposition: &disposition, ResponseContentType: &as.ContentType}, s3.WithPresignExpires(life))
	if err != nil {
		return "", err
	}
	return r.URL, nil
}

// blobError is an error of S3 as one of package blob. A missing object and a deleted one are both ErrNotFound.
func blobError(err error) error {
	switch s := awsconf.Status(err); {
	case err == nil:
		return nil
	case s == http.StatusNotFound, s == http.StatusMethodNotAllowed: // 405: a deletion's marker
		return blob.ErrNotFound
	case s == 0, s >= 500, s == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %w", blob.ErrUnavailable, err)
	}
	return err
}
