//go:build stack

package journeys

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"encoding/xml"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudfront"
	cdn "github.com/aws/aws-sdk-go-v2/service/cloudfront/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	awskms "github.com/aws/aws-sdk-go-v2/service/kms"
	awslambda "github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/stretchr/testify/require"

	"eshop/infra/aws/ministack"
	"eshop/infra/stack/restore"
	"eshop/shared/host/lambda"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/dynamo"
)

// deployment is the platform as the stacks make it in the emulator.
type deployment struct {
	*emulator.Platform
	*world
}

// inStack makes both stacks of the templates in the folder CDK_OUT.
func inStack(t *testing.T) *deployment {
	return deployed(emulator.Start(t), os.Getenv("CDK_OUT"), rand.Text())
}

// deployed makes both stacks of the templates in a folder, in the emulator's region.
func deployed(e *emulator.Emulator, folder, operator string) *deployment {
	p := emulator.Deploy(e, folder, operator)
	return &deployment{p, &world{url: p.Address, operator: operator, clock: &clock{foreign: true}, mangles: true,
		emulated: true}}
}

// TestTheStack: what is synthesised is made and serves, each function with the rights of its role and no others.
func TestTheStack(t *testing.T) {
	d := inStack(t)
	t.Run("journeys", func(t *testing.T) { travel(t, d.world) })
	t.Run("what cannot be handled is a dead letter, and is delivered when it is redriven", d.deadLetters)
	t.Run("what was given up is handed over again", d.unheard)
	t.Run("a shop has a domain of its own, until it is removed", d.ownDomain)
	t.Run("tables that were restored stand behind the functions", d.restored)
}

// deadLetters takes from the function that delivers what its role lets it do, until a message has been handed over
// often enough, and gives it back.
func (d *deployment) deadLetters(t *testing.T) {
	d.T = t
	ctx, queues := t.Context(), sqs.NewFromConfig(d.Config)
	fresh, dead := emulator.Named(t, d.Data, "Fresh"), emulator.Named(t, d.Data, "FreshDead")
	has, err := queues.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &fresh,
		AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameRedrivePolicy}})
	require.NoError(t, err)
	redrive := fields{}
	require.NoError(t, json.Unmarshal([]byte(has.Attributes["RedrivePolicy"]), &redrive))
	require.Equal(t, 1000.0, redrive["maxReceiveCount"])
	redrive["maxReceiveCount"] = 2
	sooner, err := json.Marshal(redrive)
	require.NoError(t, err)
	_, err = queues.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: &fresh,
		Attributes: map[string]string{"VisibilityTimeout": "1", "RedrivePolicy": string(sooner)}})
	require.NoError(t, err)
	tn := d.shopWith(t, everything...)
	a := tn.listens()
	role := url.Values{"RoleName": {emulator.Named(t, d.Services, "DeliveryRole")}, "Version": {"2010-05-08"}}
	iam := func(action string, more ...string) []byte {
		send := maps.Clone(role)
		send.Set("Action", action)
		for i := 0; i < len(more); i += 2 {
			send.Set(more[i], more[i+1])
		}
		return d.Sends("iam", send.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	}
	var policies struct {
		Names []string `xml:"ListRolePoliciesResult>PolicyNames>member"`
	}
	require.NoError(t, xml.Unmarshal(iam("ListRolePolicies"), &policies))
	require.Len(t, policies.Names, 1)
	role.Set("PolicyName", policies.Names[0])
	var policy struct {
		Document string `xml:"GetRolePolicyResult>PolicyDocument"`
	}
	require.NoError(t, xml.Unmarshal(iam("GetRolePolicy"), &policy))
	document, err := url.QueryUnescape(policy.Document)
	require.NoError(t, err)
	var rights struct{ Version, Statement any }
	require.NoError(t, json.Unmarshal([]byte(document), &rights))
	less := slices.DeleteFunc(rights.Statement.([]any), func(s any) bool {
		b, err := json.Marshal(s)
		return err == nil && strings.Contains(string(b), "dynamodb:")
	})
	b, err := json.Marshal(fields{"Version": rights.Version, "Statement": less})
	require.NoError(t, err)

	iam("PutRolePolicy", "PolicyDocument", string(b))
	id := tn.customer()
	var letter types.Message
	eventually(t, patience, func() bool {
		got, err := queues.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &dead, MaxNumberOfMessages: 1})
		require.NoError(t, err)
		if len(got.Messages) == 0 {
			return false
		}
		letter = got.Messages[0]
		return true
	}, "a dead letter")
	calls, _ := a.all()
	require.Empty(t, calls)
	iam("PutRolePolicy", "PolicyDocument", document)
	// as a message move task does
	_, err = queues.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &fresh, MessageBody: letter.Body})
	require.NoError(t, err)
	a.hears("customerCreate", id)
	require.Len(t, tn.heard(a), 1)
}

// unheard stops the mapping that would have told of a change, and puts what Lambda puts into the bucket when it gives
// one up: the emulator has no destinations of mappings.
func (d *deployment) unheard(t *testing.T) {
	d.T = t
	ctx, mapping := t.Context(), emulator.Named(t, d.Services, "BatcherFunctionStream")
	reads := func(enabled bool) {
		_, err := awslambda.NewFromConfig(d.Config).UpdateEventSourceMapping(ctx,
			&awslambda.UpdateEventSourceMappingInput{UUID: &mapping, Enabled: &enabled})
		require.NoError(t, err)
	}
	tn := d.shopWith(t, everything...)
	a := tn.listens()
	tn.quiet()
	reads(false)
	id := tn.customer()
	table := emulator.Named(t, d.Data, "Main")
	pk, sk := dynamo.KeyNames(store.Primary)
	got, err := dynamodb.NewFromConfig(d.Config).GetItem(ctx, &dynamodb.GetItemInput{TableName: &table,
		Key: map[string]ddb.AttributeValue{pk: &ddb.AttributeValueMemberS{Value: "S#" + tn.shop + "#C#" + id},
			sk: &ddb.AttributeValueMemberS{Value: "A"}}})
	require.NoError(t, err)
	event, err := json.Marshal(fields{"Records": []fields{{"eventName": "INSERT", "dynamodb": fields{
		"SequenceNumber": "1", "NewImage": fields{dynamo.AttrChange: fields{
			"S": got.Item[dynamo.AttrChange].(*ddb.AttributeValueMemberS).Value}}}}}})
	require.NoError(t, err)
	record, err := json.Marshal(fields{"payload": string(event), "requestContext": fields{
		"condition": "RetryAttemptsExhausted", "functionArn": "arn:aws:lambda:" + emulator.Region + ":" +
			emulator.Account + ":function:" + emulator.Named(t, d.Services, "BatcherFunction")}})
	require.NoError(t, err)
	d.Puts(emulator.Named(t, d.Data, "Files"), lambda.Unheard+mapping+"/shardId-1/2026/11/30/a", record)
	require.Contains(t, d.makes("unheard"), "1 handed over, 0 left")
	a.hears("customerCreate", id)
	reads(true)
}

// makes has make do what the guide says, with the tools that lie beside the emulator, and returns what it says. The
// API's own address is a name that nobody resolves: the door stands for it as a proxy.
func (d *deployment) makes(arguments ...string) string {
	made := exec.CommandContext(d.T.Context(), "make", append(arguments, "ENV="+emulator.Environment)...)
	made.Dir, made.Env = "../..", append(os.Environ(), "MAKEFLAGS=", "OPERATOR_TOKEN="+d.operator,
		"HTTP_PROXY="+d.Address, "NO_PROXY=127.0.0.1", "AWS_DEFAULT_REGION="+emulator.Region,
		"PATH="+filepath.Dir(os.Getenv("MINISTACK"))+":"+os.Getenv("PATH"))
	for name, is := range d.Variables() {
		made.Env = append(made.Env, name+"="+is)
	}
	said, err := made.CombinedOutput()
	require.NoError(d.T, err, "%s", said)
	return string(said)
}

// ownDomain makes, shows and removes a shop's own domain. The emulator's CloudFormation has no tenants, though its
// CloudFront has: so the stack of the edge is one that only says what the real one does.
func (d *deployment) ownDomain(t *testing.T) {
	d.T = t
	front, folder, name := cloudfront.NewFromConfig(d.Config), t.TempDir(), "Eshop-"+emulator.Environment+"-Edge"
	origin := aws.String("origin")
	distribution, err := front.CreateDistribution(t.Context(), &cloudfront.CreateDistributionInput{
		DistributionConfig: &cdn.DistributionConfig{CallerReference: &name, Comment: &name,
			Enabled: aws.Bool(true), ConnectionMode: cdn.ConnectionModeTenantOnly,
			DefaultCacheBehavior: &cdn.DefaultCacheBehavior{TargetOriginId: origin,
				ViewerProtocolPolicy: cdn.ViewerProtocolPolicyHttpsOnly},
			Origins: &cdn.Origins{Quantity: aws.Int32(1), Items: []cdn.Origin{
				{Id: origin, DomainName: aws.String("api.example.com")}}}}})
	require.NoError(t, err)
	group, err := front.CreateConnectionGroup(t.Context(), &cloudfront.CreateConnectionGroupInput{Name: &name})
	require.NoError(t, err)
	template, err := json.Marshal(fields{"Parameters": fields{}, "Outputs": fields{
		"Edge":              fields{"Value": group.ConnectionGroup.RoutingEndpoint},
		"DistributionId":    fields{"Value": distribution.Distribution.Id},
		"ConnectionGroupId": fields{"Value": group.ConnectionGroup.Id}},
		"Resources": fields{"Some": fields{"Type": "AWS::SNS::Topic"}}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, name+".template.json"), template, 0o600))
	d.Stack("CreateStack", folder, name, nil, func(map[string]emulator.Resource) {})

	tn := d.shopWith(t, everything...)
	const own = "NAME=www.kavarna.example"
	require.Contains(t, d.makes("shop-domain", own, "SHOP="+tn.shop), "serves the shop "+tn.shop)
	require.Contains(t, d.makes("shop-domain"), tn.shop+"  www.kavarna.example  active, Deployed")
	require.Contains(t, d.makes("shop-domain", own, "REMOVE=1"), "aws acm delete-certificate")
	require.Contains(t, d.makes("shop-domain", own), "is not at the edge")
}

// restored does what `make restore` does, but that it deploys in the emulator: what is written after the restored
// second is not there once it is over, and nobody has heard of it, since what calls functions was stopped before. The
// emulator knows no limit of a gateway, so its door stays open.
func (d *deployment) restored(t *testing.T) {
	d.T = t
	tn := d.shopWith(t, everything...)
	a := tn.listens()
	before := tn.customer()
	a.hears("customerCreate", before)
	tn.quiet()
	file, after := filepath.Join(t.TempDir(), "test.json"), ""
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o600))
	r := restore.Restorer{DB: recoverable{dynamodb.NewFromConfig(d.Config)}, Now: time.Now, Say: t.Logf,
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Deploy: func(_ context.Context, closed bool) error {
			settings := fields{}
			said, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(said, &settings))
			if settings["mainStream"] != nil && after == "" { // the tables are as they were before that
				after = tn.customer()
			}
			if !closed {
				d.Update(settings)
				return nil
			}
			d.Update(settings, "CLOSED=1")
			if settings["mainStream"] == nil { // of a mapping that it makes anew the emulator always says Enabled
				d.nothingIsCalled()
			}
			return nil
		}}
	require.NoError(t, r.Installation(t.Context(), emulator.Environment, file, time.Now().Add(time.Second)))

	eventually(t, patience, func() bool {
		is, err := tn.send("GET", "/api-engine/customers/"+after, nil)
		require.NoError(t, err)
		return is.status == 404
	}, "what came later is not there")
	tn.get("/api-engine/customers/" + before)
	a.hears("customerCreate", tn.customer())
	heard, _ := a.all()
	require.NotContains(t, list(heard), after)
}

// recoverable says of each table that it can be put back to any second of the last hour. The emulator knows nothing of
// what a template says of recovery, and of a table that has it that now is its earliest second.
type recoverable struct{ *dynamodb.Client }

func (recoverable) DescribeContinuousBackups(context.Context, *dynamodb.DescribeContinuousBackupsInput,
	...func(*dynamodb.Options)) (*dynamodb.DescribeContinuousBackupsOutput, error) {
	return &dynamodb.DescribeContinuousBackupsOutput{ContinuousBackupsDescription: &ddb.ContinuousBackupsDescription{
		PointInTimeRecoveryDescription: &ddb.PointInTimeRecoveryDescription{
			EarliestRestorableDateTime: new(time.Now().Add(-time.Hour))}}}, nil
}

// nothingIsCalled holds that no stream, queue, clock or file calls a function.
func (d *deployment) nothingIsCalled() {
	mappings, err := awslambda.NewFromConfig(d.Config).ListEventSourceMappings(d.T.Context(), nil)
	require.NoError(d.T, err)
	require.Len(d.T, mappings.EventSourceMappings, 4, "the stream's two and the queues'")
	for _, m := range mappings.EventSourceMappings {
		require.Equal(d.T, "Disabled", *m.State, *m.EventSourceArn)
	}
	var rules struct {
		Rules []struct{ Name, State string }
	}
	require.NoError(d.T, json.Unmarshal(d.Sends("events", "{}", "Content-Type", "application/x-amz-json-1.1",
		"X-Amz-Target", "AWSEvents.ListRules"), &rules))
	require.Len(d.T, rules.Rules, 3)
	for _, r := range rules.Rules {
		require.Equal(d.T, "DISABLED", r.State, r.Name)
	}
}

// TestASecondPlace walks into another region as the guide has it, until add-ons hear from there, signed with the keys
// that they know: of what came last once more, under the id that they know. The emulator's CloudFormation makes no
// replicas, so the main table's is made here; the files and DNS are left out. The door at home is closed and its key
// disabled before, as if its region were gone.
func TestASecondPlace(t *testing.T) {
	d := inStack(t)
	const there = "eu-west-1"
	main := emulator.Named(t, d.Data, "Main")
	_, err := dynamodb.NewFromConfig(d.Config).UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: &main,
		ReplicaUpdates: []ddb.ReplicationGroupUpdate{
			{Create: &ddb.CreateReplicationGroupMemberAction{RegionName: aws.String(there)}}}})
	require.NoError(t, err)
	tn := d.shopWith(t, everything...)
	a := tn.listens()
	key := tn.post("/api-engine/webhook-signing-keys", nil).text("key")
	d.counts()
	before := tn.customer()
	first := a.hears("customerCreate", before)
	first.signed(t, key, "")
	tn.quiet()
	keys, id := awskms.NewFromConfig(d.Config), aws.String(emulator.Named(t, d.Data, "Secrets"))
	replica, err := keys.ReplicateKey(t.Context(),
		&awskms.ReplicateKeyInput{KeyId: id, ReplicaRegion: aws.String(there)})
	require.NoError(t, err)
	_, err = keys.DisableKey(t.Context(), &awskms.DisableKeyInput{KeyId: id})
	require.NoError(t, err)

	d.Update(fields{}, "CLOSED=1")
	heard, _ := a.all()

	e := d.In(there)
	is, err := dynamodb.NewFromConfig(e.Config).DescribeTable(t.Context(),
		&dynamodb.DescribeTableInput{TableName: &main})
	require.NoError(t, err)
	second := deployed(e, emulator.Synthesised(t, fields{"mainStream": is.Table.LatestStreamArn,
		"secretsKey": replica.ReplicaKeyMetadata.Arn}), d.operator)
	moved := &tenant{client: client{t, second.world.url, tn.token}, w: second.world, shop: tn.shop, pkg: tn.pkg,
		access: tn.access}
	moved.get("/api-engine/customers/" + before)
	a.until(func(calls []call) bool {
		return slices.ContainsFunc(calls[len(heard):], func(c call) bool { return c.body.ID == first.body.ID })
	})
	a.hears("customerCreate", moved.customer()).signed(t, key, "")
}
