package restore

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
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
	file   string // the environment's
	door   []string
	in     string          // the region of the table that was looked at last, if it is said
	early  map[string]bool // tables whose recovery was refused once
}

func with(names ...string) *account {
	a := &account{tables: map[string]*types.TableDescription{}, ttl: map[string]bool{}, early: map[string]bool{},
		now: at.Add(time.Minute)}
	for _, n := range names {
		a.tables[n] = &types.TableDescription{TableStatus: types.TableStatusActive}
	}
	return a
}

func (a *account) restorer() Restorer {
	return Restorer{DB: a, Now: func() time.Time { return a.now },
		Wait: func(ctx context.Context, d time.Duration) error {
			a.now = a.now.Add(d)
			return ctx.Err()
		},
		Deploy: a.deploy, Say: func(string, ...any) {}}
}

// deploy notes the door and the main table of a deployment.
func (a *account) deploy(_ context.Context, closed bool) error {
	b, err := os.ReadFile(a.file)
	if err != nil {
		return err
	}
	var is struct{ MainStream, PipelineTable string }
	if err := json.Unmarshal(b, &is); err != nil {
		return err
	}
	what := "open on " + is.MainStream
	if closed {
		what = "closed on " + is.MainStream
	}
	if what == a.fails {
		return errDown
	}
	a.door = append(a.door, what)
	return nil
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
	a.did = append(a.did, short+" "+what+a.in)
	return nil
}

func streamOf(table string) string {
	return "arn:aws:dynamodb:eu-central-1:1:table/" + table + "/stream/1"
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

func (a *account) DescribeTable(_ context.Context, in *dynamodb.DescribeTableInput, where ...options) (
	*dynamodb.DescribeTableOutput, error) {
	a.in = ""
	for _, set := range where {
		var o dynamodb.Options
		set(&o)
		a.in = " in " + o.Region
	}
	t := *a.tables[*in.TableName]
	if a.looks++; a.looks%3 != 0 {
		t.TableStatus = types.TableStatusUpdating
	}
	return &dynamodb.DescribeTableOutput{Table: &t}, nil
}

func (a *account) RestoreTableToPointInTime(_ context.Context, in *dynamodb.RestoreTableToPointInTimeInput,
	_ ...options) (*dynamodb.RestoreTableToPointInTimeOutput, error) {
	switch age := a.now.Sub(*in.RestoreDateTime); {
	case *in.SourceTableName == *in.TargetTableName:
		return nil, errors.New("a table is not restored into itself")
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

func (a *account) DescribeContinuousBackups(_ context.Context, in *dynamodb.DescribeContinuousBackupsInput,
	_ ...options) (*dynamodb.DescribeContinuousBackupsOutput, error) {
	earliest := a.now.Add(-35 * 24 * time.Hour)
	if strings.Contains(*in.TableName, "-Restored-") { // made a moment ago
		earliest = a.now
	}
	return &dynamodb.DescribeContinuousBackupsOutput{ContinuousBackupsDescription: &types.ContinuousBackupsDescription{
		PointInTimeRecoveryDescription: &types.PointInTimeRecoveryDescription{
			EarliestRestorableDateTime: &earliest}}}, nil
}

func (a *account) UpdateContinuousBackups(_ context.Context, in *dynamodb.UpdateContinuousBackupsInput,
	_ ...options) (*dynamodb.UpdateContinuousBackupsOutput, error) {
	if !a.early[*in.TableName] {
		a.early[*in.TableName] = true
		return nil, &types.ContinuousBackupsUnavailableException{}
	}
	return nil, a.does(in.TableName, "restorable")
}

func (a *account) UpdateTable(_ context.Context, in *dynamodb.UpdateTableInput, _ ...options) (
	*dynamodb.UpdateTableOutput, error) {
	t := a.tables[*in.TableName]
	for _, u := range in.ReplicaUpdates {
		t.Replicas = append(t.Replicas, types.ReplicaDescription{RegionName: u.Create.RegionName})
		return nil, a.does(in.TableName, "in "+*u.Create.RegionName)
	}
	if s := in.StreamSpecification; s != nil {
		if t.StreamSpecification != nil {
			return nil, errors.New("the table has a stream")
		}
		t.StreamSpecification, t.LatestStreamArn = s, aws.String(streamOf(*in.TableName))
		return nil, a.does(in.TableName, string(s.StreamViewType))
	}
	return nil, a.does(in.TableName, "protected")
}

const main, pipeline = "Eshop-try-Data-MainA1B2C3D4-X", "Eshop-try-Data-PipelineA1B2C3D4-Y"

var at = time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)

// all is what is done to both tables.
var all = []string{"Main of " + main + " at 10:00:00", "Pipeline of " + pipeline + " at 10:00:00",
	"Main by ttl", "Main restorable", "Main protected", "Pipeline by ttl", "Pipeline restorable", "Pipeline protected",
	"Main NEW_AND_OLD_IMAGES"}

func TestBothTablesAreRestoredWithAllThatTheStacksOwnHave(t *testing.T) {
	a := with(main, pipeline)
	made, err := a.restorer().Tables(t.Context(), "try", Names{main, pipeline}, at.Add(time.Millisecond))
	require.NoError(t, err)
	require.Equal(t, all, a.did)
	require.Equal(t, Restored{Names{"Eshop-try-Restored-Main-20261129100000",
		"Eshop-try-Restored-Pipeline-20261129100000"}, streamOf("Eshop-try-Restored-Main-20261129100000")}, made)
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
		require.Equal(t, streamOf(made.Main), made.MainStream)
		require.True(t, a.ttl[made.Main] && a.ttl[made.Pipeline])
	}
}

// TestAnInstallationIsPutBackBehindAClosedDoor, wherever it is interrupted, and its file names the tables.
func TestAnInstallationIsPutBackBehindAClosedDoor(t *testing.T) {
	made := streamOf("Eshop-try-Restored-Main-20261129100000")
	before, after, end := "closed on ", "closed on "+made, "open on "+made
	for _, interrupted := range []string{"", before, "of " + pipeline + " at 10:00:00", "NEW_AND_OLD_IMAGES", after,
		end} {
		a := with(main, pipeline)
		a.file, a.fails = filepath.Join(t.TempDir(), "try.json"), interrupted
		require.NoError(t, os.WriteFile(a.file, []byte(`{"budget": 200, "alarmEmail": "ops@shop.example"}`), 0o600))
		if interrupted != "" {
			require.ErrorIs(t, a.restorer().Installation(t.Context(), "try", a.file, at), errDown, interrupted)
			require.NotContains(t, a.door, end)
			a.fails = ""
		}
		require.NoError(t, a.restorer().Installation(t.Context(), "try", a.file, at), interrupted)
		require.Equal(t, []string{after, end}, a.door[len(a.door)-2:])
		require.True(t, strings.HasPrefix(a.door[0], before), "nothing is restored before the door is closed")
		require.Len(t, a.tables, 4, "two of before and two of then")
		said, err := os.ReadFile(a.file)
		require.NoError(t, err)
		require.Equal(t, `{
  "alarmEmail": "ops@shop.example",
  "budget": 200,
  "mainStream": "`+made+`",
  "pipelineTable": "Eshop-try-Restored-Pipeline-20261129100000"
}
`, string(said))
	}
}

// TestWhatStandsOnRestoredTablesIsRestoredFromThem: they have what was written since.
func TestWhatStandsOnRestoredTablesIsRestoredFromThem(t *testing.T) {
	a := with(main, pipeline, "main-of-monday", "pipeline-of-monday")
	a.file = filepath.Join(t.TempDir(), "try.json")
	require.NoError(t, os.WriteFile(a.file, []byte(`{"pipelineTable": "pipeline-of-monday",
		"secondRegion": "eu-west-1",
		"mainStream": "arn:aws:dynamodb:eu-central-1:123456789012:table/main-of-monday/stream/2026-11-23T00:00:00.000"}`),
		0o600))
	require.NoError(t, a.restorer().Installation(t.Context(), "try", a.file, at))
	require.Contains(t, a.did, "Main of main-of-monday at 10:00:00")
	require.Contains(t, a.did, "Pipeline of pipeline-of-monday at 10:00:00")
	require.NoError(t, a.restorer().Installation(t.Context(), "try", a.file, at))
	require.Subset(t, a.did, []string{"Main restorable in eu-west-1", "Main protected in eu-west-1"})
	require.Len(t, slices.DeleteFunc(a.did, func(did string) bool { return did != "Main in eu-west-1" }), 1,
		"it has its replica, and no second one when it is asked again")
}

// TestASecondThatIsTooOldClosesNoDoor: nobody is turned away for what cannot be.
func TestASecondThatIsTooOldClosesNoDoor(t *testing.T) {
	a := with(main, pipeline)
	a.file = filepath.Join(t.TempDir(), "try.json")
	require.NoError(t, os.WriteFile(a.file, []byte(`{}`), 0o600))
	err := a.restorer().Installation(t.Context(), "try", a.file, at.Add(-36*24*time.Hour))
	require.EqualError(t, err, main+" can be put back to 2026-10-25T10:01:00Z at the earliest")
	require.Empty(t, a.door)
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
	own, err := with(append(others, main, pipeline)...).restorer().Own(t.Context(), "try", Names{})
	require.NoError(t, err)
	require.Equal(t, Names{main, pipeline}, own)
	_, err = with(append(others, main)...).restorer().Own(t.Context(), "try", Names{})
	require.ErrorContains(t, err, "Eshop-try-Data is to have one")
	two := with(main, pipeline, "Eshop-try-Data-MainA1B2C3D4-OF-A-STACK-BEFORE").restorer()
	_, err = two.Own(t.Context(), "try", Names{})
	require.ErrorContains(t, err, "OF-A-STACK-BEFORE")
	own, err = two.Own(t.Context(), "try", Names{Main: main})
	require.NoError(t, err)
	require.Equal(t, Names{main, pipeline}, own, "the environment's file chooses")
}
