// Package restore puts an installation back to one second of the last 35 days: `make restore` (cmd), and the drill in
// the emulator (infra/journeys, make test-stack). Begin with Installation. It makes a main table and a pipeline anew
// beside those that serve, which stay as they are, and has the functions deployed on the new ones.
//
// It can be called again with the same second after it was interrupted: it goes on with the tables that it made.
package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"eshop/shared/ports/store/dynamo"
)

// DynamoDB is what restoring asks of its client.
type DynamoDB interface {
	dynamodb.ListTablesAPIClient
	dynamodb.DescribeTableAPIClient
	RestoreTableToPointInTime(context.Context, *dynamodb.RestoreTableToPointInTimeInput, ...func(*dynamodb.Options)) (
		*dynamodb.RestoreTableToPointInTimeOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (
		*dynamodb.DescribeTimeToLiveOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (
		*dynamodb.UpdateTimeToLiveOutput, error)
	DescribeContinuousBackups(context.Context, *dynamodb.DescribeContinuousBackupsInput, ...func(*dynamodb.Options)) (
		*dynamodb.DescribeContinuousBackupsOutput, error)
	UpdateContinuousBackups(context.Context, *dynamodb.UpdateContinuousBackupsInput, ...func(*dynamodb.Options)) (
		*dynamodb.UpdateContinuousBackupsOutput, error)
	UpdateTable(context.Context, *dynamodb.UpdateTableInput, ...func(*dynamodb.Options)) (
		*dynamodb.UpdateTableOutput, error)
}

// Names are those of both tables.
type Names struct{ Main, Pipeline string }

// Restored are tables as they were at a second.
type Restored struct {
	Names
	MainStream string // the ARN of the main table's stream
}

// Restorer restores installations.
type Restorer struct {
	DB     DynamoDB
	Now    func() time.Time
	Wait   func(ctx context.Context, d time.Duration) error // until d has passed, or ctx's error if it ends before
	Deploy func(ctx context.Context, closed bool) error     // the environment as its file is, all at once
	Say    func(format string, a ...any)                    // what is done
}

// Installation closes the door of an installation and stops what calls its functions, restores both tables to the same
// second, puts the functions on them behind the closed door, and opens it. From then on the environment's file names
// the tables.
func (r Restorer) Installation(ctx context.Context, environment, file string, when time.Time) error {
	settings := map[string]any{}
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &settings)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	var from Names
	if stream, _ := settings["mainStream"].(string); stream != "" { // it stands on another table than the stack's own
		_, from.Main, _ = strings.Cut(stream, ":table/")
		from.Main, _, _ = strings.Cut(from.Main, "/")
	}
	from.Pipeline, _ = settings["pipelineTable"].(string)
	if from, err = r.Own(ctx, environment, from); err != nil {
		return err
	}
	if err := r.restorable(ctx, from, restoredNames(environment, when), when); err != nil {
		return err
	}
	r.Say("1 of 4: closes the door, and stops what calls functions")
	if err := r.behind(ctx, environment, file, settings, from, when); err != nil {
		return fmt.Errorf("%w\nThe door may be closed: ask for the same second again, or `make deploy ENV=%s FAST=1` "+
			"opens it", err, environment)
	}
	r.Say("It is %s again. Commit %s: a deployment without it would ask to go back.", when.Format(time.RFC3339), file)
	region, _ := settings["secondRegion"].(string)
	if region == "" {
		return nil
	}
	r.Say("Waits for the replica in %s, which fills while the platform serves, and protects it", region)
	return r.complete(ctx, restoredNames(environment, when).Main, func(o *dynamodb.Options) { o.Region = region })
}

// restorable says before the door closes why tables cannot be put back to a second. What a restore that was interrupted
// has put the functions on is as it was then.
func (r Restorer) restorable(ctx context.Context, from, to Names, when time.Time) error {
	for _, table := range []string{from.Main, from.Pipeline} {
		if table == to.Main || table == to.Pipeline {
			continue
		}
		is, err := r.DB.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &table})
		if err != nil {
			return err
		}
		recovery := is.ContinuousBackupsDescription.PointInTimeRecoveryDescription
		if recovery == nil || recovery.EarliestRestorableDateTime == nil {
			return fmt.Errorf("%s has no point-in-time recovery", table)
		}
		if earliest := recovery.EarliestRestorableDateTime.UTC(); when.Before(earliest) {
			return fmt.Errorf("%s can be put back to %s at the earliest", table, earliest.Format(time.RFC3339))
		}
	}
	return nil
}

// behind does all that is done behind the closed door, and opens it.
func (r Restorer) behind(ctx context.Context, environment, file string, settings map[string]any, from Names,
	when time.Time) error {
	if err := r.Deploy(ctx, true); err != nil {
		return err
	}
	r.Say("2 of 4: restores %s and %s to %s", from.Main, from.Pipeline, when.Format(time.RFC3339))
	made, err := r.Tables(ctx, environment, from, when)
	if err != nil {
		return err
	}
	if region, _ := settings["secondRegion"].(string); region != "" {
		if err := r.replicate(ctx, made.Main, region); err != nil {
			return err
		}
	}
	settings["mainStream"], settings["pipelineTable"] = made.MainStream, made.Pipeline
	b, err := json.MarshalIndent(settings, "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(b, '\n'), 0o644)
	}
	if err != nil {
		return err
	}
	r.Say("3 of 4: puts the functions on %s and %s", made.Main, made.Pipeline)
	if err := r.Deploy(ctx, true); err != nil {
		return err
	}
	r.Say("4 of 4: opens the door")
	return r.Deploy(ctx, false)
}

// pause is how long is waited between two looks at what DynamoDB is at: a restore takes it minutes.
const pause = 10 * time.Second

// notYet is how long DynamoDB may say of a second that it cannot be restored because it is too young. It says five
// minutes, and the same of a second that is too old.
const notYet = 10 * time.Minute

// Own finds the tables of the environment's own stack by the names that CloudFormation gives them: the stack's, the
// logical one with the CDK's eight letters, and letters of its own. After a restore the functions may stand on others.
// A stack that was deleted leaves its tables, and a second place has the replica beside its own: where there are two
// for one name, whoever restores has to choose, by naming the table in the environment's file.
func (r Restorer) Own(ctx context.Context, environment string, named Names) (own Names, err error) {
	is := regexp.MustCompile("^Eshop-" + regexp.QuoteMeta(environment) + "-Data-(Main|Pipeline)[0-9A-F]{8}-")
	found := map[string][]string{}
	pages := dynamodb.NewListTablesPaginator(r.DB, &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return Names{}, err
		}
		for _, name := range page.TableNames {
			if logical := is.FindStringSubmatch(name); logical != nil {
				found[logical[1]] = append(found[logical[1]], name)
			}
		}
	}
	main, pipeline := found["Main"], found["Pipeline"]
	if named.Main != "" {
		main = []string{named.Main}
	}
	if named.Pipeline != "" {
		pipeline = []string{named.Pipeline}
	}
	if len(main) != 1 || len(pipeline) != 1 {
		return Names{}, fmt.Errorf("Eshop-%s-Data is to have one main table and one pipeline, and has %q and %q",
			environment, main, pipeline)
	}
	return Names{main[0], pipeline[0]}, nil
}

// Tables restores both tables to the same second, and returns once both have all that the stack's own have. The new
// names begin with Eshop-<environment>-Restored.
func (r Restorer) Tables(ctx context.Context, environment string, from Names, when time.Time) (Restored, error) {
	when = when.UTC().Truncate(time.Second)
	to := Restored{Names: restoredNames(environment, when)}
	// Both are begun before either is waited for.
	for _, t := range [][2]string{{from.Main, to.Main}, {from.Pipeline, to.Pipeline}} {
		if t[0] == t[1] { // the file named them before the interruption
			continue
		}
		if err := r.begin(ctx, t[0], t[1], when); err != nil {
			return Restored{}, err
		}
	}
	for _, made := range []string{to.Main, to.Pipeline} {
		if err := r.complete(ctx, made); err != nil {
			return Restored{}, err
		}
	}
	var err error
	to.MainStream, err = r.stream(ctx, to.Main)
	return to, err
}

// restoredNames are those of the tables that are as they were at a second.
func restoredNames(environment string, when time.Time) Names {
	begin, end := "Eshop-"+environment+"-Restored-", when.UTC().Format("-20060102150405")
	return Names{begin + "Main" + end, begin + "Pipeline" + end}
}

// begin has DynamoDB restore a table, as soon as the second is old enough for that.
func (r Restorer) begin(ctx context.Context, from, to string, when time.Time) error {
	for {
		_, err := r.DB.RestoreTableToPointInTime(ctx, &dynamodb.RestoreTableToPointInTimeInput{
			SourceTableName: &from, TargetTableName: &to, RestoreDateTime: &when})
		// What was begun before an interruption exists, or is being made.
		_, exists := errors.AsType[*types.TableAlreadyExistsException](err)
		_, inUse := errors.AsType[*types.TableInUseException](err)
		if exists || inUse {
			return nil
		}
		young, refused := errors.AsType[*types.InvalidRestoreTimeException](err)
		if !refused {
			return err
		}
		if r.Now().Sub(when) > notYet {
			return fmt.Errorf("%s cannot be restored to %s: %w", from, when.Format(time.RFC3339), young)
		}
		if err := r.Wait(ctx, pause); err != nil {
			return err
		}
	}
}

// complete waits until a table is active and turns on what one that was restored, or is a new replica, has not.
func (r Restorer) complete(ctx context.Context, table string, where ...func(*dynamodb.Options)) error {
	if _, err := r.active(ctx, table, where...); err != nil {
		return err
	}
	ttl, err := r.DB.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &table}, where...)
	if err != nil {
		return err
	}
	if d := ttl.TimeToLiveDescription; d == nil || d.TimeToLiveStatus == types.TimeToLiveStatusDisabled {
		if _, err := r.DB.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &table,
			TimeToLiveSpecification: &types.TimeToLiveSpecification{Enabled: aws.Bool(true),
				AttributeName: aws.String(dynamo.AttrExpires)}}, where...); err != nil {
			return err
		}
	}
	for {
		_, err := r.DB.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{TableName: &table,
			PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{
				PointInTimeRecoveryEnabled: aws.Bool(true)}}, where...)
		// "Backups are being enabled for the table": they are not yet, of a table that was made a moment ago.
		if _, early := errors.AsType[*types.ContinuousBackupsUnavailableException](err); !early {
			if err != nil {
				return err
			}
			break
		}
		if err := r.Wait(ctx, pause); err != nil {
			return err
		}
	}
	_, err = r.DB.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &table,
		DeletionProtectionEnabled: aws.Bool(true)}, where...)
	return err
}

// stream returns the ARN of the table's stream, which it turns on if there is none.
func (r Restorer) stream(ctx context.Context, table string) (string, error) {
	is, err := r.active(ctx, table)
	if err != nil {
		return "", err
	}
	if is.StreamSpecification == nil || !aws.ToBool(is.StreamSpecification.StreamEnabled) {
		if _, err := r.DB.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &table,
			StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true),
				StreamViewType: types.StreamViewTypeNewAndOldImages}}); err != nil {
			return "", err
		}
		if is, err = r.active(ctx, table); err != nil {
			return "", err
		}
	}
	return aws.ToString(is.LatestStreamArn), nil
}

// replicate gives a restored main table the replica that the one before has. It fills by itself while the table serves.
func (r Restorer) replicate(ctx context.Context, table, region string) error {
	is, err := r.active(ctx, table)
	if err != nil {
		return err
	}
	for _, there := range is.Replicas {
		if aws.ToString(there.RegionName) == region {
			return nil
		}
	}
	_, err = r.DB.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &table,
		ReplicaUpdates: []types.ReplicationGroupUpdate{
			{Create: &types.CreateReplicationGroupMemberAction{RegionName: &region}}}})
	return err
}

// active waits until a table is, and returns what it is then.
func (r Restorer) active(ctx context.Context, table string, where ...func(*dynamodb.Options)) (
	*types.TableDescription, error) {
	for {
		is, err := r.DB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table}, where...)
		if err != nil {
			return nil, err
		}
		if is.Table.TableStatus == types.TableStatusActive {
			return is.Table, nil
		}
		if err := r.Wait(ctx, pause); err != nil {
			return nil, fmt.Errorf("the table %s is %s: %w", table, is.Table.TableStatus, err)
		}
	}
}
