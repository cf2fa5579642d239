package restore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
)

// account is DynamoDB with some tables, which are active after two looks at them. It notes what changes.
type account struct {
	tables map[string]*types.TableDescription
	ttl    map[string]bool
	did    []string
	looks  int
	now    time.Time
	fails  string // the change that is not done
}

func with(names ...string) *account {
	a := &account{tables: map[string]*types.TableDescription{}, ttl: map[string]bool{}, now: at.Add(time.Minute)}
	for _, n := range names {
		a.tables[n] = &types.TableDescription{TableStatus: types.TableStatusActive}
	}
	return a
}

func (a *account) restorer() Restorer {
	return Restorer{a, func() time.Time { return a.now }, func(ctx context.Context, d time.Duration) error {
		a.now = a.now.Add(d)
		return ctx.Err()
	}}
}

var errDown = errors.New("down")

func (a *account) does(table *string, what string) error {
	if what == a.fails {
		return errDown
	}
	if a.looks%3 != 0 {
		return errors.New("the table is not active")
	}
	short, _, _ := strings.Cut(strings.TrimPrefix(*table, "Eshop-try-Restored-"), "-")
	a.did = append(a.did, short+" "+what)
	return nil
}

type options = func(*dynamodb.Options)

func (a *account) ListTables(_ context.Context, in *dynamodb.ListTablesInput, _ ...options) (
	out *dynamodb.ListTablesOutput, err error) {
	out = &dynamodb.ListTablesOutput{}
	for n := range a.tables { // two pages: the first has none
		if in.ExclusiveStartTableName == nil {
			return &dynamodb.ListTablesOutput{LastEvaluatedTableName: aws.String("-")}, nil
		}
		out.TableNames = append(out.TableNames, n)
	}
	return out, nil
}

func (a *account) DescribeTable(_ context.Context, in *dynamodb.DescribeTableInput, _ ...options) (
	*dynamodb.DescribeTableOutput, error) {
	t := *a.tables[*in.TableName]
	if a.looks++; a.looks%3 != 0 {
		t.TableStatus = types.TableStatusUpdating
	}
	return &dynamodb.DescribeTableOutput{Table: &t}, nil
}

func (a *account) RestoreTableToPointInTime(_ context.Context, in *dynamodb.RestoreTableToPointInTimeInput,
	_ ...options) (*dynamodb.RestoreTableToPointInTimeOutput, error) {
	switch age := a.now.Sub(*in.RestoreDateTime); {
	case age < 5*time.Minute || age > 35*24*time.Hour:
		return nil, &types.InvalidRestoreTimeException{}
	case a.tables[*in.TargetTableName] != nil && a.looks == 0:
		return nil, &types.TableInUseException{} // nobody has seen it active yet
	case a.tables[*in.TargetTableName] != nil:
		return nil, &types.TableAlreadyExistsException{}
	}
	a.tables[*in.TargetTableName] = &types.TableDescription{TableStatus: types.TableStatusActive}
	return nil, a.does(in.TargetTableName, "of "+*in.SourceTableName+" at "+in.RestoreDateTime.Format(time.TimeOnly))
}

func (a *account) DescribeTimeToLive(_ context.Context, in *dynamodb.DescribeTimeToLiveInput, _ ...options) (
	*dynamodb.DescribeTimeToLiveOutput, error) {
	is := types.TimeToLiveStatusDisabled
	if a.ttl[*in.TableName] {
		is = types.TimeToLiveStatusEnabling
	}
	return &dynamodb.DescribeTimeToLiveOutput{
		TimeToLiveDescription: &types.TimeToLiveDescription{TimeToLiveStatus: is}}, nil
}

func (a *account) UpdateTimeToLive(_ context.Context, in *dynamodb.UpdateTimeToLiveInput, _ ...options) (
	*dynamodb.UpdateTimeToLiveOutput, error) {
	if a.ttl[*in.TableName] {
		return nil, errors.New("TimeToLive is already enabled")
	}
	a.ttl[*in.TableName] = true
	return nil, a.does(in.TableName, "by "+*in.TimeToLiveSpecification.AttributeName)
}

func (a *account) UpdateContinuousBackups(_ context.Context, in *dynamodb.UpdateContinuousBackupsInput,
	_ ...options) (*dynamodb.UpdateContinuousBackupsOutput, error) {
	return nil, a.does(in.TableName, "restorable")
}

func (a *account) UpdateTable(_ context.Context, in *dynamodb.UpdateTableInput, _ ...options) (
	*dynamodb.UpdateTableOutput, error) {
	if s := in.StreamSpecification; s != nil {
		t := a.tables[*in.TableName]
		if t.StreamSpecification != nil {
			return nil, errors.New("the table has a stream")
		}
		t.StreamSpecification, t.LatestStreamArn = s, aws.String("stream of "+*in.TableName)
		return nil, a.does(in.TableName, string(s.StreamViewType))
	}
	return nil, a.does(in.TableName, "protected")
}

const main, pipeline = "Eshop-try-Data-MainA1B2C3D4-X", "Eshop-try-Data-PipelineA1B2C3D4-Y"

var at = time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)

// all is what is done to both tables.
var all = []string{"Main of " + main + " at 10:00:00", "Pipeline of " + pipeline + " at 10:00:00",
	"Main by ttl", "Main restorable", "Main protected", "Pipeline by ttl", "Pipeline restorable", "Pipeline protected",
	"Main NEW_IMAGE"}

func TestBothTablesAreRestoredWithAllThatTheStacksOwnHave(t *testing.T) {
	a := with(main, pipeline)
	made, err := a.restorer().Tables(t.Context(), "try", Names{main, pipeline}, at.Add(time.Millisecond))
	require.NoError(t, err)
	require.Equal(t, all, a.did)
	require.Equal(t, Restored{Names{"Eshop-try-Restored-Main-20261129100000",
		"Eshop-try-Restored-Pipeline-20261129100000"}, "stream of Eshop-try-Restored-Main-20261129100000"}, made)
}

// TestARestoreGoesOnAfterItFailed, wherever that was, and does nothing twice that DynamoDB refuses then.
func TestARestoreGoesOnAfterItFailed(t *testing.T) {
	for _, what := range all {
		a := with(main, pipeline)
		_, a.fails, _ = strings.Cut(what, " ")
		_, err := a.restorer().Tables(t.Context(), "try", Names{main, pipeline}, at)
		require.ErrorIs(t, err, errDown, what)
		a.fails = ""
		made, err := a.restorer().Tables(t.Context(), "try", Names{main, pipeline}, at)
		require.NoError(t, err, what)
		require.Equal(t, "stream of "+made.Main, made.MainStream)
		require.True(t, a.ttl[made.Main] && a.ttl[made.Pipeline])
	}
}

func TestASecondThatIsTooOldIsAnErrorAndAYoungOneIsWaitedFor(t *testing.T) {
	a := with(main, pipeline)
	_, err := a.restorer().Tables(t.Context(), "try", Names{main, pipeline}, at.Add(-36*24*time.Hour))
	require.ErrorContains(t, err, main+" cannot be restored to 2026-10-24T10:00:00Z")
	require.Empty(t, a.did)

	ctx, end := context.WithCancel(t.Context())
	end()
	_, err = a.restorer().Tables(ctx, "try", Names{main, pipeline}, at)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, a.did)
}

func TestTheStacksOwnTablesAreFoundByTheirNames(t *testing.T) {
	others := []string{"Eshop-try-Data-CountersA1B2C3D4-Z", "Eshop-try2-Data-MainA1B2C3D4-X", "Main",
		"Eshop-try-Restored-Main-20261129100000"}
	own, err := with(append(others, main, pipeline)...).restorer().Own(t.Context(), "try")
	require.NoError(t, err)
	require.Equal(t, Names{main, pipeline}, own)
	_, err = with(append(others, main)...).restorer().Own(t.Context(), "try")
	require.ErrorContains(t, err, "Eshop-try-Data is to have one")
	_, err = with(main, pipeline, "Eshop-try-Data-MainA1B2C3D4-OF-A-STACK-BEFORE").restorer().Own(t.Context(), "try")
	require.ErrorContains(t, err, "OF-A-STACK-BEFORE")
}
