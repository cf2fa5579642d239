package s3

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"eshop/shared/ports/blob"
)

// How a long stream is written. S3 takes 10,000 parts, so an object has 78 GiB at most.
const (
	partSize        = 8 << 20         // bytes of each part but the last; one part is in memory at a time
	partTimeout     = time.Minute     // for one part to be taken, all its tries together
	completeTimeout = 5 * time.Minute // for S3 to put the parts together, which takes it minutes where they are many
	tries           = 3               // of a part, and of putting them together: to repeat either does no harm
)

// Write is one PutObject if the stream is shorter than a part, else a multipart upload, which shows the object only
// when all of it is there. Where S3 did not answer the very last call, nobody knows whether the object is there.
func (b *Bucket) Write(ctx context.Context, key string, from io.Reader) error {
	if !blob.Valid(key) {
		return fmt.Errorf("s3: %q is no key", key)
	}
	parts := &parts{from: from}
	first, err := parts.next()
	if err != nil {
		return err
	}
	if len(first) < partSize {
		return b.put(ctx, key, first, partTimeout)
	}
	upload, err := b.begin(ctx, key)
	if err != nil {
		return blobError(err)
	}
	// Also after a panic of the reader. Afterwards there is nothing left to abort.
	defer upload.abort(ctx)
	for part := first; len(part) > 0; {
		if err := upload.add(ctx, part); err != nil {
			return blobError(err)
		}
		if part, err = parts.next(); err != nil {
			return err
		}
	}
	return blobError(upload.complete(ctx))
}

// parts cuts a stream into parts.
type parts struct {
	from io.Reader
	buf  bytes.Buffer
}

// next is the next part, until the next call: shorter than partSize at the stream's end only, and empty behind it.
// io.ReadFull would not do, because it spells the stream's end as an error that a reader may have of its own.
func (p *parts) next() ([]byte, error) {
	p.buf.Reset()
	p.buf.Grow(partSize + bytes.MinRead) // ReadFrom wants so much room, and would double the buffer for it
	_, err := p.buf.ReadFrom(io.LimitReader(p.from, partSize))
	return p.buf.Bytes(), err
}

// multipart is a multipart upload that was begun, with the parts that S3 has taken.
type multipart struct {
	*Bucket
	key   string
	id    *string
	taken []types.CompletedPart
	whole bool // it was completed
}

func (b *Bucket) begin(ctx context.Context, key string) (*multipart, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	out, err := b.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &b.name, Key: &key})
	if err != nil {
		return nil, err
	}
	return &multipart{Bucket: b, key: key, id: out.UploadId}, nil
}

// add sends the next part.
func (u *multipart) add(ctx context.Context, part []byte) error {
	ctx, cancel := context.WithTimeout(ctx, partTimeout)
	defer cancel()
	number := aws.Int32(int32(len(u.taken) + 1))
	out, err := u.client.UploadPart(ctx, &s3.UploadPartInput{Bucket: &u.name, Key: &u.key, UploadId: u.id,
		PartNumber: number, Body: bytes.NewReader(part)}, again)
	if err != nil {
		return err
	}
	u.taken = append(u.taken, types.CompletedPart{PartNumber: number, ETag: out.ETag})
	return nil
}

// complete makes the parts the object.
func (u *multipart) complete(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	_, err := u.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{Bucket: &u.name, Key: &u.key,
		UploadId: u.id, MultipartUpload: &types.CompletedMultipartUpload{Parts: u.taken}}, again)
	u.whole = err == nil
	return err
}

// abort deletes the parts of an upload that was not completed, also when ctx has ended.
func (u *multipart) abort(ctx context.Context) {
	if u.whole {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTimeout)
	defer cancel()
	// What goes wrong here changes nothing for the caller: the lifecycle takes such parts away within a day.
	_, _ = u.client.AbortMultipartUpload(ctx,
		&s3.AbortMultipartUploadInput{Bucket: &u.name, Key: &u.key, UploadId: u.id})
}

// again has a call tried again after a failure that may pass. A stream of gigabytes is hundreds of calls, and would
// otherwise begin anew because of one.
func again(o *s3.Options) {
	o.Retryer = retry.NewStandard(func(s *retry.StandardOptions) { s.MaxAttempts = tries })
}
