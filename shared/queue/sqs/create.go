package sqs

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"eshop/shared/queue"
)

// Create makes a queue of these settings and the dead-letter queue they name. Tests make theirs with it; those of an
// account are the CDK stack's.
func Create(ctx context.Context, cfg aws.Config, s queue.Settings) (q, dead *Queue, err error) {
	client := sqs.NewFromConfig(cfg)
	second := strconv.Itoa(int(s.Visibility / time.Second))
	url, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &s.DeadLetter,
		Attributes: map[string]string{"VisibilityTimeout": second}})
	if err != nil {
		return nil, nil, err
	}
	dead = New(cfg, *url.QueueUrl)
	arn, err := client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: url.QueueUrl, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil {
		return nil, nil, err
	}
	// The redrive policy is what moves a message into the dead-letter queue after so many receives.
	redrive, err := json.Marshal(map[string]string{
		"deadLetterTargetArn": arn.Attributes["QueueArn"], "maxReceiveCount": strconv.Itoa(s.MaxReceives),
	})
	if err != nil {
		return nil, nil, fmt.Errorf("queue: %w", err)
	}
	url, err = client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: &s.Name, Attributes: map[string]string{
		"VisibilityTimeout": second, "RedrivePolicy": string(redrive),
	}})
	if err != nil {
		return nil, nil, err
	}
	return New(cfg, *url.QueueUrl), dead, nil
}

// Drop takes the queue away.
func (q *Queue) Drop(ctx context.Context) error {
	_, err := q.client.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: aws.String(q.url)})
	return err
}

// URL is where the queue is.
func (q *Queue) URL() string { return q.url }
