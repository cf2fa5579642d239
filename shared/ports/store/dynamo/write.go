package dynamo

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"eshop/events"
	"eshop/shared/ports/store"
)

// Write is one conditional call for one key, one transaction for several. An item that gets too big with its change is
// written again with the change apart.
func (t *Table) Write(ctx context.Context, change events.Change, ops ...store.Op) (store.Item, error) {
	ops, err := store.Merge(ops)
	if err != nil {
		return store.Item{}, err
	}
	item, err := t.write(ctx, change, ops, ride)
	if tooHeavy(err) && !change.Empty() {
		return t.write(ctx, change, ops, goApart)
	}
	return item, err
}

// write is one try of a Write, with the change where place puts it.
func (t *Table) write(ctx context.Context, change events.Change, ops []store.Op, place placing) (store.Item, error) {
	actions, err := place(change, ops)
	if err != nil {
		return store.Item{}, err
	}
	if len(actions) == 1 {
		return t.single(ctx, actions[0])
	}
	if err := t.transaction(ctx, actions); err != nil || len(ops) > 1 {
		return store.Item{}, err
	}
	return t.itemAfter(ctx, ops[0])
}

// itemAfter is the item that a write of one item left, if its change had to go apart: a transaction does not return
// what it wrote. After an update the item is read again, so it may show a later write, too.
func (t *Table) itemAfter(ctx context.Context, o store.Op) (store.Item, error) {
	switch o.Kind {
	case store.Putting:
		item := *o.Apply(nil)
		item.Doc = bytes.Clone(item.Doc)
		return item, nil
	case store.Updating:
		item, err := t.one(ctx, o.Key)
		if err != nil || item == nil {
			return store.Item{}, err
		}
		return *item, nil
	}
	return store.Item{}, nil
}

// single writes one item. A call that certainly was not done is made again; one that may have been done only if doing
// it twice leaves what doing it once does.
func (t *Table) single(ctx context.Context, a action) (store.Item, error) {
	if a.Kind == store.Checking {
		return store.Item{}, t.check(ctx, a.Op)
	}
	doubtful := false // an earlier try may have been done, although its answer was lost
	for b := newBackoff(); ; {
		item, err := t.try(ctx, a)
		if err == nil {
			return item, nil
		}
		if c := conditionError(a.Key, err); c != nil {
			// The refusal may be of our own earlier try: it changed the item, and then its answer was lost.
			if doubtful {
				return a.resolve(c, err)
			}
			return store.Item{}, c
		}
		f := faultOf(err)
		doubtful = doubtful || f == unknown
		if f == refused {
			return store.Item{}, fmt.Errorf("dynamo: %w", err)
		}
		if f == unknown && !a.repeatable() || !b.retry(ctx) {
			return store.Item{}, unavailable(err)
		}
	}
}

// repeatable says whether doing the action twice leaves what doing it once does. Only additions are in doubt. They are
// repeatable where the condition asks for a version that the first time replaces, or for one before the version that it
// sets: the second time is then refused.
func (a action) repeatable() bool {
	if a.Kind != store.Updating || len(a.Set.Add) == 0 {
		return true
	}
	for _, c := range a.Conds {
		if c.Test == store.VersionSame && a.Set.Version != "" && a.Set.Version != c.Text {
			return true
		}
		if c.Test == store.VersionLess && a.Set.Version >= c.Text {
			return true
		}
	}
	return false
}

// resolve is the answer to a refusal after a try whose outcome is unknown. When the item has the version that this
// write sets, the earlier try was done. Else nobody knows, and the caller is told that the store is unavailable.
func (a action) resolve(c *store.ConditionError, err error) (store.Item, error) {
	version := a.Set.Version
	if a.Kind == store.Putting {
		version = a.Item.Version
	}
	stored := c.Failures[0].Item
	if stored != nil && version != "" && stored.Version == version {
		return *stored, nil
	}
	return store.Item{}, unavailable(err)
}

// try is one call, counted by the units that DynamoDB names, or else by the size of what was sent.
func (t *Table) try(ctx context.Context, a action) (store.Item, error) {
	m := store.MeterOf(ctx)
	done := m.Begin()
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	var capacity types.ReturnConsumedCapacity
	if m != nil {
		capacity = types.ReturnConsumedCapacityTotal
	}
	var item store.Item
	var used *types.ConsumedCapacity
	var err error
	switch a.Kind {
	case store.Putting:
		item = *a.Apply(nil)
		// The caller gets a copy of the document, because the item written belongs to it again.
		item.Doc = bytes.Clone(item.Doc)
		used, err = t.put(ctx, a, capacity)
	case store.Updating:
		item, used, err = t.update(ctx, a, capacity)
	case store.Deleting:
		used, err = t.delete(ctx, a, capacity)
	}
	units := store.WriteUnits(size(a.written()))
	if used != nil && used.CapacityUnits != nil {
		units = *used.CapacityUnits
	}
	done(0, units)
	return item, err
}

// put writes one item outside a transaction, at half the price of one inside. If a condition fails, DynamoDB returns
// the item that it failed on, so a refusal needs no read.
func (t *Table) put(ctx context.Context, a action, c types.ReturnConsumedCapacity) (*types.ConsumedCapacity, error) {
	e := a.expression()
	out, err := t.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &t.name, Item: a.written(), ConditionExpression: e.Condition(), ReturnConsumedCapacity: c,
		ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if err != nil {
		return nil, err
	}
	return out.ConsumedCapacity, nil
}

// update changes one item outside a transaction, and returns it as it is then.
func (t *Table) update(ctx context.Context, a action, c types.ReturnConsumedCapacity) (
	store.Item, *types.ConsumedCapacity, error,
) {
	e := a.expression()
	out, err := t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: keyAttributes(a.Key), ReturnConsumedCapacity: c, ReturnValues: types.ReturnValueAllNew,
		UpdateExpression: e.Update(), ConditionExpression: e.Condition(),
		ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if err != nil {
		return store.Item{}, nil, err
	}
	item, err := decode(out.Attributes)
	return item, out.ConsumedCapacity, err
}

// delete deletes one item outside a transaction.
func (t *Table) delete(ctx context.Context, a action, c types.ReturnConsumedCapacity) (*types.ConsumedCapacity, error) {
	e := a.expression()
	out, err := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &t.name, Key: keyAttributes(a.Key), ConditionExpression: e.Condition(), ReturnConsumedCapacity: c,
		ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if err != nil {
		return nil, err
	}
	return out.ConsumedCapacity, nil
}

// check holds conditions against the item of a write that writes nothing. For that a read is enough.
func (t *Table) check(ctx context.Context, o store.Op) error {
	item, err := t.one(ctx, o.Key)
	if err != nil {
		return err
	}
	for _, c := range o.Conds {
		if !c.Holds(item) {
			return &store.ConditionError{Failures: []store.Failure{{Key: o.Key, Item: item}}}
		}
	}
	return nil
}

// transaction writes all actions or none. While the outcome is unknown, tries share a token, so that DynamoDB does the
// transaction once. After a conflict with another write nothing was done: the next try has a new token, and its
// conditions are held against the items as they are then.
func (t *Table) transaction(ctx context.Context, actions []action) error {
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String(rand.Text())}
	for _, a := range actions {
		in.TransactItems = append(in.TransactItems, t.item(a))
	}
	for b := newBackoff(); ; {
		// A try without an answer is followed by one with the same token, which DynamoDB does not do twice.
		err := t.commit(ctx, in, actions)
		if err == nil {
			return nil
		}
		if cancelled, is := errors.AsType[*types.TransactionCanceledException](err); is {
			if err := verdict(cancelled, actions); err != nil {
				return err
			}
			in.ClientRequestToken = aws.String(rand.Text())
		} else if faultOf(err) == refused {
			return fmt.Errorf("dynamo: %w", err)
		}
		if !b.retry(ctx) {
			return unavailable(err)
		}
	}
}

// commit is one call of a transaction.
func (t *Table) commit(ctx context.Context, in *dynamodb.TransactWriteItemsInput, actions []action) error {
	done := store.MeterOf(ctx).Begin()
	defer func() { done(0, transactionUnits(actions)) }()
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	_, err := t.client.TransactWriteItems(ctx, in)
	return err
}

// verdict is the error of a cancelled transaction: the conditions that did not hold. If another write was in the way of
// any part, it is nil, whatever failed beside it: the next try may go through.
func verdict(c *types.TransactionCanceledException, actions []action) error {
	var failed []store.Failure
	inTheWay := false
	for i, r := range c.CancellationReasons {
		switch aws.ToString(r.Code) {
		case "", "None":
		case "ConditionalCheckFailed":
			failed = append(failed, failure(actions[i].Key, r.Item))
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			inTheWay = true
		default:
			return fmt.Errorf("dynamo: transaction cancelled at %s: %s: %s", actions[i].Key.PK, *r.Code,
				aws.ToString(r.Message))
		}
	}
	if inTheWay || len(failed) == 0 {
		return nil
	}
	return &store.ConditionError{Failures: failed}
}

// item is the action as a part of a transaction.
func (t *Table) item(a action) types.TransactWriteItem {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	e := a.expression()
	cond, names, values := e.Condition(), e.Names(), e.Values()
	switch a.Kind {
	case store.Putting:
		return types.TransactWriteItem{Put: &types.Put{
			TableName: &t.name, Item: a.written(), ConditionExpression: cond, ReturnValuesOnConditionCheckFailure: old,
			ExpressionAttributeNames: names, ExpressionAttributeValues: values,
		}}
	case store.Updating:
		return types.TransactWriteItem{Update: &types.Update{
			TableName: &t.name, Key: keyAttributes(a.Key), UpdateExpression: e.Update(),
			ConditionExpression: cond, ReturnValuesOnConditionCheckFailure: old,
			ExpressionAttributeNames: names, ExpressionAttributeValues: values,
		}}
	case store.Deleting:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: &t.name, Key: keyAttributes(a.Key), ConditionExpression: cond,
			ReturnValuesOnConditionCheckFailure: old, ExpressionAttributeNames: names,
			ExpressionAttributeValues: values,
		}}
	}
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &t.name, Key: keyAttributes(a.Key), ConditionExpression: cond,
		ReturnValuesOnConditionCheckFailure: old, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}}
}
