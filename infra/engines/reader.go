package engines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// TableStream reads the stream of a DynamoDB table without Lambda: each shard from its oldest record on, and no shard
// before its parent is read to the end. So the records of one key come in the order of its writes.
type TableStream struct {
	ARN   string
	Pause time.Duration // between reads that brought nothing; DynamoDB allows five reads a second and shard

	client *dynamodbstreams.Client
}

// OpenStream is the latest stream of the table.
func OpenStream(ctx context.Context, cfg aws.Config, table string) (*TableStream, error) {
	out, err := dynamodb.NewFromConfig(cfg).DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return nil, err
	}
	if out.Table.LatestStreamArn == nil {
		return nil, fmt.Errorf("engines: table %s has no stream", table)
	}
	return &TableStream{ARN: *out.Table.LatestStreamArn, Pause: 250 * time.Millisecond,
		client: dynamodbstreams.NewFromConfig(cfg)}, nil
}

// StreamReader takes what a stream brings.
type StreamReader struct {
	// After is the sequence number of the shard's last record handled, "" when there is none.
	After func(ctx context.Context, shard string) (string, error)
	// Handle takes the next 1 to 1,000 records of the shard. An error ends Read.
	Handle func(ctx context.Context, shard string, records []types.Record) error
}

// Read hands all records to the reader, until ctx ends or the reader returns an error. It returns that error. An error
// of the stream itself is not returned: Read pauses and goes on.
func (s *TableStream) Read(ctx context.Context, r StreamReader) error {
	reading := &streamReading{TableStream: s, reader: r, shards: map[string]*shard{}}
	for ctx.Err() == nil {
		busy, err := reading.round(ctx)
		var readers *readerError
		if errors.As(err, &readers) {
			return readers.error
		}
		if !busy || err != nil {
			wait(ctx, s.Pause)
		}
	}
	return ctx.Err()
}

// readerError is an error of the reader, not of the stream.
type readerError struct{ error }

// shard is how far one shard is read.
type shard struct {
	id       string
	parent   string
	after    string // the last sequence number handled
	known    bool   // whether the reader was asked for after
	iterator *string
	done     bool
}

// streamReading is one Read of a stream.
type streamReading struct {
	*TableStream
	reader StreamReader
	order  []*shard          // parents before their children
	shards map[string]*shard // by id
	listed time.Time         // when the shards were last asked for; zero: they must be again
}

// listEvery is how old the list of shards may get. A shard that ends makes the list old at once; a shard that splits
// may end only much later.
const listEvery = 10 * time.Second

// round reads once from each shard that can be read, and says whether it brought anything.
func (s *streamReading) round(ctx context.Context) (busy bool, err error) {
	if time.Since(s.listed) > listEvery {
		if err := s.list(ctx); err != nil {
			return false, err
		}
	}
	for _, sh := range s.order {
		// A shard whose parent is not known can be read: it never had one, or the parent's records are trimmed.
		if parent := s.shards[sh.parent]; sh.done || parent != nil && !parent.done {
			continue
		}
		some, err := s.read(ctx, sh)
		if err != nil {
			return busy, err
		}
		busy = busy || some
		// A shard ends because it has split, or was closed: its children are asked for in the next round.
		if sh.done {
			s.listed = time.Time{}
		}
	}
	return busy, nil
}

// list adds shards that are new, and forgets those that are trimmed, which the stream does after 24 hours.
func (s *streamReading) list(ctx context.Context) error {
	var last *string
	there := map[string]bool{}
	for {
		out, err := s.client.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &s.ARN,
			ExclusiveStartShardId: last})
		if err != nil {
			return err
		}
		for _, sh := range out.StreamDescription.Shards {
			id := *sh.ShardId
			there[id] = true
			if s.shards[id] == nil {
				s.shards[id] = &shard{id: id, parent: aws.ToString(sh.ParentShardId)}
				s.order = append(s.order, s.shards[id])
			}
		}
		if last = out.StreamDescription.LastEvaluatedShardId; last == nil {
			break
		}
	}
	s.order = slices.DeleteFunc(s.order, func(sh *shard) bool {
		gone := !there[sh.id]
		if gone {
			delete(s.shards, sh.id)
		}
		return gone
	})
	s.listed = time.Now()
	return nil
}

// read reads what is next of one shard and hands it to the reader. An iterator that is too old is made anew; if the
// next record is trimmed already, reading goes on at the oldest one that is left.
func (s *streamReading) read(ctx context.Context, sh *shard) (some bool, err error) {
	if sh.iterator == nil {
		if err := s.iterate(ctx, sh); err != nil {
			return false, err
		}
	}
	out, err := s.client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: sh.iterator,
		Limit: aws.Int32(1000)})
	var expired *types.ExpiredIteratorException
	var trimmed *types.TrimmedDataAccessException
	switch {
	case errors.As(err, &trimmed):
		sh.after, sh.iterator = "", nil
		return true, nil
	case errors.As(err, &expired):
		sh.iterator = nil
		return true, nil
	case err != nil:
		return false, err
	}
	if n := len(out.Records); n > 0 {
		if err := s.reader.Handle(ctx, sh.id, out.Records); err != nil {
			return true, &readerError{err}
		}
		sh.after = *out.Records[n-1].Dynamodb.SequenceNumber
	}
	// No next iterator means that the shard is closed and read to its end.
	sh.iterator, sh.done = out.NextShardIterator, out.NextShardIterator == nil
	return len(out.Records) > 0 || sh.done, nil
}

// iterate asks for an iterator behind the last record that was handled, or at the oldest record if that one is trimmed.
func (s *streamReading) iterate(ctx context.Context, sh *shard) error {
	if !sh.known {
		after, err := s.reader.After(ctx, sh.id)
		if err != nil {
			return &readerError{err}
		}
		sh.after, sh.known = after, true
	}
	in := &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &s.ARN, ShardId: &sh.id, ShardIteratorType: types.ShardIteratorTypeTrimHorizon,
	}
	if sh.after != "" {
		in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, &sh.after
	}
	out, err := s.client.GetShardIterator(ctx, in)
	var trimmed *types.TrimmedDataAccessException
	if errors.As(err, &trimmed) {
		sh.after = ""
		return nil
	}
	if err != nil {
		return err
	}
	sh.iterator = out.ShardIterator
	return nil
}
