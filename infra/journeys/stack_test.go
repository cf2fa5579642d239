//go:build stack

package journeys

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"maps"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	awskms "github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/stretchr/testify/require"

	"eshop/shared/lambdahost"
	"eshop/shared/secret/kms"
)

type resource = map[string]any

// environmentName is that of the stacks which make test-stack synthesises.
const environmentName = "test"

// deployment is the platform as the stacks make it in the emulator, of the programs that are deployed.
type deployment struct {
	*emulator
	*world
	data, services map[string]string // the physical names of the resources of both stacks, by their logical ones
	door           string            // the id of its API
}

// inStack makes both stacks of the templates in the folder CDK_OUT.
func inStack(t *testing.T) *deployment {
	return deployed(emulated(t), os.Getenv("CDK_OUT"), rand.Text())
}

// deployed makes both stacks of the templates in a folder, in the emulator's region. Their door is a proxy: the
// emulator's is not at the root of its address.
func deployed(e *emulator, folder, operator string) *deployment {
	d := &deployment{emulator: e, door: "eshop-" + e.config.Region, world: &world{operator: operator,
		clock: &clock{foreign: true}, mangles: true, emulated: true}}
	door, err := url.Parse(e.url + "/_aws/execute-api/" + d.door + "/$default")
	require.NoError(e.t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(door)
		r.Out.Host = r.In.Host
	}})
	e.t.Cleanup(proxy.Close)
	d.world.url = proxy.URL
	name := "Eshop-" + environmentName
	d.data = e.stack("CreateStack", folder, name+"-Data", nil, tamed)
	e.uploads(folder, name)
	d.services = e.stack("CreateStack", folder, name, d.parameters(), d.reachable)
	return d
}

func (d *deployment) parameters() fields {
	hash := sha256.Sum256([]byte(d.operator))
	return fields{"OperatorTokenHash": hex.EncodeToString(hash[:])}
}

// tamed makes a template one that the emulator takes: without what it has not (deployments by and by, alarms of several
// metrics) and without policies of resources, of which it knows no conditions.
func tamed(all map[string]resource) {
	types := []string{"AWS::SQS::QueuePolicy", "AWS::S3::BucketPolicy", "AWS::SNS::TopicPolicy",
		"AWS::CodeDeploy::Application", "AWS::CodeDeploy::DeploymentGroup"}
	without(all, func(r resource) bool {
		p, _ := r["Properties"].(map[string]any)
		return slices.Contains(types, r["Type"].(string)) ||
			r["Type"] == "AWS::CloudWatch::Alarm" && p["Metrics"] != nil
	})
	for _, r := range all {
		delete(r, "UpdatePolicy")
		if r["Type"] != "AWS::IAM::Policy" {
			continue
		}
		for _, s := range r["Properties"].(map[string]any)["PolicyDocument"].(map[string]any)["Statement"].([]any) {
			simplified(s.(map[string]any))
		}
	}
}

// simplified makes of a statement one that the emulator understands as AWS does: it asks for the action
// SendMessageBatch, which AWS has not, and does not know a key's encryption context.
func simplified(statement map[string]any) {
	actions, many := statement["Action"].([]any)
	if !many {
		actions = []any{statement["Action"]}
	}
	if slices.Contains(actions, any("sqs:SendMessage")) {
		statement["Action"] = append(actions, "sqs:SendMessageBatch")
	}
	where, _ := statement["Condition"].(map[string]any)
	if equal, _ := where["StringEquals"].(map[string]any); equal["kms:EncryptionContext:"+kms.Context] != nil {
		delete(statement, "Condition")
	}
}

// reachable is tamed of the services, at an address that is known before, and with receivers on this machine.
func (d *deployment) reachable(all map[string]resource) {
	tamed(all)
	for _, r := range all {
		p, _ := r["Properties"].(map[string]any)
		switch r["Type"] {
		case "AWS::ApiGatewayV2::Api":
			p["Tags"] = fields{"ms-custom-id": d.door}
		case "AWS::Lambda::Function":
			env, _ := p["Environment"].(map[string]any)
			if v, _ := env["Variables"].(map[string]any); v[lambdahost.BaseURL] != nil {
				v[lambdahost.BaseURL], v[lambdahost.DoorURL], v[lambdahost.Loopback] = d.world.url, d.world.url, "true"
			}
		}
	}
}

// without takes some resources out, and what depends on them does so no more.
func without(all map[string]resource, some func(r resource) bool) {
	gone := map[string]bool{}
	for id, r := range all {
		if some(r) {
			gone[id] = true
			delete(all, id)
		}
	}
	for _, r := range all {
		switch on := r["DependsOn"].(type) {
		case []any:
			r["DependsOn"] = slices.DeleteFunc(on, func(id any) bool { return gone[id.(string)] })
		case string:
			if gone[on] {
				delete(r, "DependsOn")
			}
		}
	}
}

// TestTheStack: what is synthesised is made and serves, each function with the rights of its role and no others.
func TestTheStack(t *testing.T) {
	d := inStack(t)
	t.Run("journeys", func(t *testing.T) { travel(t, d.world) })
	t.Run("what cannot be handled is a dead letter, and is delivered when it is redriven", d.deadLetters)
	t.Run("tables that were restored stand behind the functions", d.restored)
}

// named is the physical name of the resource whose logical name is this and the CDK's eight characters.
func named(t *testing.T, all map[string]string, name string) string {
	t.Helper()
	for id, is := range all {
		if len(id) == len(name)+8 && strings.HasPrefix(id, name) {
			return is
		}
	}
	require.FailNow(t, "there is no such resource", name)
	return ""
}

// deadLetters takes from the function that delivers what its role lets it do, until a message has been handed over
// often enough, and gives it back.
func (d *deployment) deadLetters(t *testing.T) {
	d.t = t
	ctx, queues := t.Context(), sqs.NewFromConfig(d.config)
	fresh, dead := named(t, d.data, "Fresh"), named(t, d.data, "FreshDead")
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
	role := url.Values{"RoleName": {named(t, d.services, "DeliveryRole")}, "Version": {"2010-05-08"}}
	iam := func(action string, more ...string) []byte {
		send := maps.Clone(role)
		send.Set("Action", action)
		for i := 0; i < len(more); i += 2 {
			send.Set(more[i], more[i+1])
		}
		return d.sends("iam", send.Encode(), "Content-Type", "application/x-www-form-urlencoded")
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

// restored walks through the guide's drill: what is written after the restored second is not there once it is over.
func (d *deployment) restored(t *testing.T) {
	d.t = t
	tn := d.shopWith(t, everything...)
	a := tn.listens()
	before := tn.customer()
	a.hears("customerCreate", before)
	tn.quiet()
	db := dynamodb.NewFromConfig(d.config)
	restore := func(of string) string {
		from, to := named(t, d.data, of), unique("restored")
		_, err := db.RestoreTableToPointInTime(t.Context(),
			&dynamodb.RestoreTableToPointInTimeInput{SourceTableName: &from, TargetTableName: &to,
				UseLatestRestorableTime: aws.Bool(true)})
		require.NoError(t, err)
		return to
	}
	main, pipeline := restore("Main"), restore("Pipeline")
	after := tn.customer()
	a.hears("customerCreate", after)
	made, err := db.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: &main,
		StreamSpecification: &ddb.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: ddb.StreamViewTypeNewImage}})
	require.NoError(t, err)

	folder := synthesised(t, fields{"mainStream": made.TableDescription.LatestStreamArn, "pipelineTable": pipeline})
	d.stack("UpdateStack", folder, "Eshop-"+environmentName, d.parameters(), d.reachable)

	eventually(t, patience, func() bool {
		is, err := tn.send("GET", "/api-engine/customers/"+after, nil)
		require.NoError(t, err)
		return is.status == 404
	}, "what came later is not there")
	tn.get("/api-engine/customers/" + before)
	a.hears("customerCreate", tn.customer())
}

// synthesised is a folder with the templates of an environment of which this is said.
func synthesised(t *testing.T, settings fields) string {
	folder := t.TempDir()
	settings["environment"], settings["multiRegionKey"] = environmentName, "true"
	said, err := json.Marshal(settings)
	require.NoError(t, err)
	cdk := exec.CommandContext(t.Context(), "go", "run", "./infra")
	cdk.Dir, cdk.Env = "../..", append(os.Environ(), "CDK_OUTDIR="+folder, "CDK_CONTEXT_JSON="+string(said))
	b, err := cdk.CombinedOutput()
	require.NoError(t, err, "%s", b)
	return folder
}

// TestASecondPlace walks into another region as the guide has it, until add-ons hear from there, signed with the keys
// that they know. The emulator has no jobs of AWS Backup: items of tables are copied by hand, and the files and DNS are
// left out. The key at home is disabled before, as if its region were gone.
func TestASecondPlace(t *testing.T) {
	d := inStack(t)
	tn := d.shopWith(t, everything...)
	a := tn.listens()
	key := tn.post("/api-engine/webhook-signing-keys", nil).text("key")
	d.counts()
	before := tn.customer()
	a.hears("customerCreate", before).signed(t, key, "")
	tn.quiet()
	const there = "eu-west-1"
	keys, id := awskms.NewFromConfig(d.config), aws.String(named(t, d.data, "Secrets"))
	replica, err := keys.ReplicateKey(t.Context(),
		&awskms.ReplicateKeyInput{KeyId: id, ReplicaRegion: aws.String(there)})
	require.NoError(t, err)
	_, err = keys.DisableKey(t.Context(), &awskms.DisableKeyInput{KeyId: id})
	require.NoError(t, err)

	e := d.in(there)
	main, pipeline := d.copied(e, named(t, d.data, "Main")), d.copied(e, named(t, d.data, "Pipeline"))
	second := deployed(e, synthesised(t, fields{"mainStream": main.LatestStreamArn,
		"pipelineTable": pipeline.TableName, "secretsKey": replica.ReplicaKeyMetadata.Arn}), d.operator)
	moved := &tenant{client: client{t, second.world.url, tn.token}, w: second.world, shop: tn.shop, pkg: tn.pkg,
		access: tn.access}
	moved.get("/api-engine/customers/" + before)
	a.hears("customerCreate", moved.customer()).signed(t, key, "")
}

// copied makes a table in another region, with a stream and all items of the one here.
func (d *deployment) copied(e *emulator, name string) *ddb.TableDescription {
	t, from, to := d.t, dynamodb.NewFromConfig(d.config), dynamodb.NewFromConfig(e.config)
	is, err := from.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
	require.NoError(t, err)
	restored := unique("restored")
	like := &dynamodb.CreateTableInput{TableName: &restored, KeySchema: is.Table.KeySchema,
		AttributeDefinitions: is.Table.AttributeDefinitions, BillingMode: ddb.BillingModePayPerRequest,
		StreamSpecification: &ddb.StreamSpecification{StreamEnabled: aws.Bool(true),
			StreamViewType: ddb.StreamViewTypeNewImage}}
	for _, i := range is.Table.GlobalSecondaryIndexes {
		like.GlobalSecondaryIndexes = append(like.GlobalSecondaryIndexes, ddb.GlobalSecondaryIndex{
			IndexName: i.IndexName, KeySchema: i.KeySchema, Projection: i.Projection})
	}
	made, err := to.CreateTable(t.Context(), like)
	require.NoError(t, err)
	pages := dynamodb.NewScanPaginator(from, &dynamodb.ScanInput{TableName: &name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, item := range page.Items {
			_, err := to.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &restored, Item: item})
			require.NoError(t, err)
		}
	}
	return made.TableDescription
}
