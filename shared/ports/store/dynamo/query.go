package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"eshop/shared/ports/store"
)

// Query is one Query call, strongly consistent unless it is of an index. One item more than asked for is read: so the
// last page is known to be the last without a further call.
func (t *Table) Query(ctx context.Context, query store.Query) (store.Page, error) {
	if err := query.CheckKeys(); err != nil {
		return store.Page{}, err
	}
	low, high, skip := bounds(query)
	// DynamoDB refuses bounds that are crossed; such a page is empty.
	if high != "" && low > high {
		return store.Page{}, nil
	}
	in := t.query(query, low, high)
	if query.Limit > 0 {
		in.Limit = aws.Int32(int32(query.Limit + 1 + skip))
	}
	var out *dynamodb.QueryOutput
	err := reading(ctx, t.Timeout, func(ctx context.Context) (units float64, err error) {
		out, err = t.client.Query(ctx, in)
		if err != nil {
			return 0, err
		}
		read := 0
		for _, item := range out.Items {
			read += size(item)
		}
		units = store.ReadUnits(read)
		if query.Index != store.Primary {
			// An index can only be read eventually consistent, at half the price.
			units /= 2
		}
		return units, nil
	})
	if err != nil {
		return store.Page{}, err
	}
	return page(query, out)
}

// query is the call between two bounds of the sort key, both inclusive and "" when open.
func (t *Table) query(q store.Query, low, high string) *dynamodb.QueryInput {
	pk, sk := KeyNames(q.Index)
	cond, at := expression.Key(pk).Equal(expression.Value(q.PK)), expression.Key(sk)
	switch {
	case low != "" && high != "":
		cond = cond.And(at.Between(expression.Value(low), expression.Value(high)))
	case low != "":
		cond = cond.And(at.GreaterThanEqual(expression.Value(low)))
	case high != "":
		cond = cond.And(at.LessThanEqual(expression.Value(high)))
	}
	b := expression.NewBuilder().WithKeyCondition(cond)
	if q.Keys && q.Index == store.Primary {
		b = b.WithProjection(expression.NamesList(named(pk), named(sk)))
	}
	e := built(b)
	in := &dynamodb.QueryInput{
		TableName: &t.name, KeyConditionExpression: e.KeyCondition(), ScanIndexForward: aws.Bool(!q.Descending),
		ProjectionExpression: e.Projection(), ExpressionAttributeNames: e.Names(),
		ExpressionAttributeValues: e.Values(),
	}
	if q.Index == store.Primary {
		in.ConsistentRead = aws.Bool(true)
	} else {
		in.IndexName = aws.String(IndexName(q.Index))
	}
	return in
}

// bounds are the inclusive bounds of the sort key: From and To, narrowed by After.
//
// The first key behind another is that key and a byte 0, so an ascending page begins there. But no key is the last one
// before another. So a descending page is read from After itself, and page then leaves that item out: skip is 1.
func bounds(q store.Query) (low, high string, skip int) {
	low, high = q.From, q.To
	switch {
	case q.After == "":
	case !q.Descending:
		low = max(low, q.After+"\x00")
	case high == "" || q.After <= high:
		high, skip = q.After, 1
	}
	return low, high, skip
}

// page cuts what DynamoDB has read down to what the query asks for.
func page(q store.Query, out *dynamodb.QueryOutput) (store.Page, error) {
	var p store.Page
	_, sk := KeyNames(q.Index)
	for _, raw := range out.Items {
		at := text(raw, sk)
		if q.Descending && q.After != "" && at == q.After {
			continue
		}
		if q.Limit > 0 && len(p.Items) == q.Limit {
			return p, nil // there are more: Next is the last item of the page
		}
		item, err := decode(raw)
		if err != nil {
			return store.Page{}, err
		}
		p.Items = append(p.Items, item)
		p.Next = at
	}
	p.Next = text(out.LastEvaluatedKey, sk)
	return p, nil
}
