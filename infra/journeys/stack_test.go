//go:build stack

package journeys

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"eshop/shared/lambdahost"
	"eshop/shared/secret/kms"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"eshop/shared/awsconf"
)

// emulator is MiniStack: AWS in one process, which makes stacks of templates, runs their functions' programs and holds
// calls against the policies of their roles.
type emulator struct {
	t       *testing.T
	url     string
	config  aws.Config
	storage *s3.Client
}

const (
	account = "000000000000"
	region  = "us-east-1"
	assets  = "cdk-hnb659fds-assets-" + account + "-" + region // where CDK puts what stacks are made of
)

// emulated starts it on a free port; it ends with the test. MINISTACK is its program.
func emulated(t *testing.T) *emulator {
	program := os.Getenv("MINISTACK")
	require.NotEmpty(t, program, "make test-stack installs the emulator and names it")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	require.NoError(t, l.Close())
	e := &emulator{t: t, url: "http://127.0.0.1:" + port}
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	require.NoError(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(environment(), "BIND_HOST=127.0.0.1", "GATEWAY_PORT="+port, "AWS_ENDPOINT_URL="+e.url, "AUTH=true",
		"LAMBDA_EXECUTOR=local", "IOT_MTLS_ENABLED=0", "STATE_DIR="+t.TempDir(), "MINISTACK_REGION="+region)
	cmd.Stdout, cmd.Stderr = said, said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the functions said: %s", e.logged())
		}
		_ = cmd.Process.Signal(os.Interrupt)
		late := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		defer late.Stop()
		_ = cmd.Wait()
		if t.Failed() {
			b, _ := os.ReadFile(said.Name())
			t.Logf("the emulator said: %s", b[max(0, len(b)-20000):])
		}
	})
	eventually(t, patience, func() bool {
		got, err := caller.Get(e.url + "/_ministack/health")
		if err == nil {
			got.Body.Close()
		}
		return err == nil && got.StatusCode == 200
	}, "the emulator starts")
	e.config, err = awsconf.Load(func(name string) string {
		return map[string]string{"AWS_ENDPOINT_URL": e.url, "AWS_REGION": region, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}[name]
	})
	require.NoError(t, err)
	e.storage = s3.NewFromConfig(e.config, func(o *s3.Options) { o.UsePathStyle = true })
	_, err = e.storage.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(assets)})
	require.NoError(t, err)
	return e
}

// stack makes or updates a stack by a template in the folder of CDK's output, and returns the physical names of its resources.
func (e *emulator) stack(action, folder, name string, parameters fields, mend func(resources map[string]resource)) map[string]string {
	e.t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name+".template.json"))
	require.NoError(e.t, err)
	var template map[string]any
	require.NoError(e.t, json.Unmarshal(b, &template))
	delete(template, "Rules") // they ask for CDK's bootstrap stack, which is not there
	delete(template["Parameters"].(map[string]any), "BootstrapVersion")
	resources := template["Resources"].(map[string]any)
	all := map[string]resource{}
	for id, r := range resources {
		all[id] = r.(map[string]any)
	}
	mend(all)
	template["Resources"] = all
	b, err = json.Marshal(template)
	require.NoError(e.t, err)
	e.puts(assets, name+".json", b)
	send := url.Values{"StackName": {name}, "TemplateURL": {e.url + "/" + assets + "/" + name + ".json"}, "Capabilities.member.1": {"CAPABILITY_IAM"}}
	n := 0
	for k, v := range parameters {
		n++
		send.Set(fmt.Sprintf("Parameters.member.%d.ParameterKey", n), k)
		send.Set(fmt.Sprintf("Parameters.member.%d.ParameterValue", n), fmt.Sprint(v))
	}
	e.formation(action, send, nil)
	var is struct {
		Status string `xml:"DescribeStacksResult>Stacks>member>StackStatus"`
	}
	eventually(e.t, patience, func() bool {
		e.formation("DescribeStacks", url.Values{"StackName": {name}}, &is)
		require.NotRegexp(e.t, "FAILED|ROLLBACK", is.Status, "%s", e.whyNot(name))
		return is.Status == "CREATE_COMPLETE" || is.Status == "UPDATE_COMPLETE"
	}, "%s %s", action, name)
	var made struct {
		Resources []struct {
			ID   string `xml:"LogicalResourceId"`
			Name string `xml:"PhysicalResourceId"`
		} `xml:"DescribeStackResourcesResult>StackResources>member"`
	}
	e.formation("DescribeStackResources", url.Values{"StackName": {name}}, &made)
	names := map[string]string{}
	for _, r := range made.Resources {
		names[r.ID] = r.Name
	}
	return names
}

// whyNot is what the events of a stack say of failures.
func (e *emulator) whyNot(name string) (all []string) {
	var is struct {
		Events []struct {
			ID     string `xml:"LogicalResourceId"`
			Status string `xml:"ResourceStatus"`
			Reason string `xml:"ResourceStatusReason"`
		} `xml:"DescribeStackEventsResult>StackEvents>member"`
	}
	e.formation("DescribeStackEvents", url.Values{"StackName": {name}}, &is)
	for _, v := range is.Events {
		if strings.Contains(v.Status, "FAILED") {
			all = append(all, v.ID+": "+v.Reason)
		}
	}
	return all
}

// formation makes a call of CloudFormation's.
func (e *emulator) formation(action string, values url.Values, answer any) {
	e.t.Helper()
	values.Set("Action", action)
	values.Set("Version", "2010-05-15")
	b := e.sends("cloudformation", values.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	if answer != nil {
		require.NoError(e.t, xml.Unmarshal(b, answer), "%.2000s", b)
	}
}

// logged is what the functions wrote to their logs last.
func (e *emulator) logged() string {
	e.t.Helper()
	var groups struct {
		LogGroups []struct{ LogGroupName string }
	}
	e.logs("DescribeLogGroups", fields{}, &groups)
	var all strings.Builder
	for _, g := range groups.LogGroups {
		var said struct{ Events []struct{ Message string } }
		e.logs("FilterLogEvents", fields{"logGroupName": g.LogGroupName}, &said)
		for _, v := range said.Events {
			if !strings.Contains(v.Message, `"level":"INFO"`) && strings.Contains(v.Message, `"level"`) {
				fmt.Fprintf(&all, "%s: %s\n", g.LogGroupName, v.Message)
			}
		}
	}
	return all.String()
}

// logs makes a call of CloudWatch's logs.
func (e *emulator) logs(action string, body fields, answer any) {
	e.t.Helper()
	b, err := json.Marshal(body)
	require.NoError(e.t, err)
	b = e.sends("logs", string(b), "Content-Type", "application/x-amz-json-1.1", "X-Amz-Target", "Logs_20140328."+action)
	require.NoError(e.t, json.Unmarshal(b, answer), "%.2000s", b)
}

// sends makes a signed call of a service of AWS.
func (e *emulator) sends(service, body string, header ...string) []byte {
	e.t.Helper()
	ctx := context.WithoutCancel(e.t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", e.url+"/", strings.NewReader(body))
	require.NoError(e.t, err)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	sum := sha256.Sum256([]byte(body))
	as, err := e.config.Credentials.Retrieve(ctx)
	require.NoError(e.t, err)
	require.NoError(e.t, v4.NewSigner().SignHTTP(ctx, as, r, hex.EncodeToString(sum[:]), service, region, time.Now()))
	got, err := caller.Do(r)
	require.NoError(e.t, err)
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	require.NoError(e.t, err)
	require.Equal(e.t, 200, got.StatusCode, "%.2000s", b)
	return b
}

// uploads puts the programs of a stack where its template says that they are.
func (e *emulator) uploads(folder, name string) {
	e.t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name+".assets.json"))
	require.NoError(e.t, err)
	var is struct {
		Files map[string]struct {
			Source       struct{ Path, Packaging string }
			Destinations map[string]struct{ BucketName, ObjectKey string }
		}
	}
	require.NoError(e.t, json.Unmarshal(b, &is))
	for _, f := range is.Files {
		if f.Source.Packaging != "zip" {
			continue
		}
		for _, to := range f.Destinations {
			require.Equal(e.t, assets, strings.NewReplacer("${AWS::AccountId}", account, "${AWS::Region}", region).Replace(to.BucketName))
			e.puts(assets, to.ObjectKey, zipped(e.t, filepath.Join(folder, f.Source.Path)))
		}
	}
}

func (e *emulator) puts(bucket, key string, body []byte) {
	e.t.Helper()
	_, err := e.storage.PutObject(e.t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(body)})
	require.NoError(e.t, err)
}

// zipped is a folder as an archive.
func zipped(t testing.TB, folder string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	require.NoError(t, z.AddFS(os.DirFS(folder)))
	require.NoError(t, z.Close())
	return b.Bytes()
}

type resource = map[string]any

// environmentName is that of the stacks which make test-stack synthesises.
const environmentName = "test"

// deployment is the platform as the stacks make it in the emulator, of the programs that are deployed.
type deployment struct {
	*emulator
	*world
	data, services map[string]string // the physical names of the resources of both stacks, by their logical ones
}

// inStack makes both stacks of the templates in the folder CDK_OUT. Its door is a proxy: the emulator's is not at the
// root of its address.
func inStack(t *testing.T) *deployment {
	e := emulated(t)
	d := &deployment{emulator: e, world: &world{operator: rand.Text(), clock: &clock{foreign: true}, mangles: true}}
	door, err := url.Parse(e.url + "/_aws/execute-api/eshop/$default")
	require.NoError(t, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(door)
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(proxy.Close)
	d.world.url = proxy.URL
	folder, name := os.Getenv("CDK_OUT"), "Eshop-"+environmentName
	d.data = e.stack("CreateStack", folder, name+"-Data", nil, tamed)
	e.uploads(folder, name)
	d.services = e.stack("CreateStack", folder, name, d.parameters(), d.tamed)
	return d
}

func (d *deployment) parameters() fields {
	hash := sha256.Sum256([]byte(d.operator))
	return fields{"OperatorTokenHash": hex.EncodeToString(hash[:])}
}

// tamed makes a template one that the emulator takes: without what it has not (deployments by and by, alarms of several
// metrics) and without policies of resources, of which it knows no conditions.
func tamed(all map[string]resource) {
	without(all, "AWS::SQS::QueuePolicy", "AWS::S3::BucketPolicy", "AWS::CodeDeploy::Application", "AWS::CodeDeploy::DeploymentGroup")
	for id, r := range all {
		delete(r, "UpdatePolicy")
		p, _ := r["Properties"].(map[string]any)
		switch r["Type"] {
		case "AWS::CloudWatch::Alarm":
			if p["Metrics"] != nil {
				delete(all, id)
			}
		case "AWS::IAM::Policy":
			for _, s := range p["PolicyDocument"].(map[string]any)["Statement"].([]any) {
				simplified(s.(map[string]any))
			}
		}
	}
}

// simplified makes of a statement one that the emulator understands as AWS does: it asks for the action SendMessageBatch, which
// AWS has not, and does not know a key's encryption context.
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

// tamed is the same for the services: at an address that is known before, and with receivers on this machine.
func (d *deployment) tamed(all map[string]resource) {
	tamed(all)
	for _, r := range all {
		p, _ := r["Properties"].(map[string]any)
		switch r["Type"] {
		case "AWS::ApiGatewayV2::Api":
			p["Tags"] = fields{"ms-custom-id": "eshop"}
		case "AWS::Lambda::Function":
			env, _ := p["Environment"].(map[string]any)
			if v, _ := env["Variables"].(map[string]any); v[lambdahost.BaseURL] != nil {
				v[lambdahost.BaseURL], v[lambdahost.DoorURL], v[lambdahost.Loopback] = d.world.url, d.world.url, "true"
			}
		}
	}
}

// without takes resources of these types out, and what depends on them does so no more.
func without(all map[string]resource, types ...string) {
	gone := map[string]bool{}
	for id, r := range all {
		if slices.Contains(types, r["Type"].(string)) {
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

// deadLetters takes from the function that delivers what its role lets it do, until a message has been handed over often
// enough, and gives it back.
func (d *deployment) deadLetters(t *testing.T) {
	d.t = t
	ctx, queues := t.Context(), sqs.NewFromConfig(d.config)
	fresh, dead := named(t, d.data, "Fresh"), named(t, d.data, "FreshDead")
	_, err := queues.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: &fresh, Attributes: map[string]string{"VisibilityTimeout": "1"}})
	require.NoError(t, err)
	tn := d.shopWith(t, everything...)
	a := tn.listens()
	role := url.Values{"RoleName": {named(t, d.services, "DeliveryRole")}, "Version": {"2010-05-08"}}
	role.Set("PolicyName", policyOf(t, d, role))
	iam := func(action string, more ...string) []byte {
		send := maps.Clone(role)
		send.Set("Action", action)
		for i := 0; i < len(more); i += 2 {
			send.Set(more[i], more[i+1])
		}
		return d.sends("iam", send.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	}
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
	_, err = queues.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &fresh, MessageBody: letter.Body}) // as a message move task does
	require.NoError(t, err)
	a.hears("customerCreate", id)
	require.Len(t, tn.heard(a), 1)
}

// policyOf is the name of a role's one policy.
func policyOf(t *testing.T, d *deployment, role url.Values) string {
	send := maps.Clone(role)
	send.Set("Action", "ListRolePolicies")
	var is struct {
		Names []string `xml:"ListRolePoliciesResult>PolicyNames>member"`
	}
	require.NoError(t, xml.Unmarshal(d.sends("iam", send.Encode(), "Content-Type", "application/x-www-form-urlencoded"), &is))
	require.Len(t, is.Names, 1)
	return is.Names[0]
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
		_, err := db.RestoreTableToPointInTime(t.Context(), &dynamodb.RestoreTableToPointInTimeInput{SourceTableName: &from, TargetTableName: &to,
			UseLatestRestorableTime: aws.Bool(true)})
		require.NoError(t, err)
		return to
	}
	main, pipeline := restore("Main"), restore("Pipeline")
	after := tn.customer()
	a.hears("customerCreate", after)
	made, err := db.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: &main,
		StreamSpecification: &ddb.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: ddb.StreamViewTypeNewImage}})
	require.NoError(t, err)

	folder := t.TempDir()
	settings, err := json.Marshal(fields{"environment": environmentName, "mainStream": made.TableDescription.LatestStreamArn, "pipelineTable": pipeline})
	require.NoError(t, err)
	cdk := exec.CommandContext(t.Context(), "go", "run", "./infra")
	cdk.Dir, cdk.Env = "../..", append(os.Environ(), "CDK_OUTDIR="+folder, "CDK_CONTEXT_JSON="+string(settings))
	said, err := cdk.CombinedOutput()
	require.NoError(t, err, "%s", said)
	d.stack("UpdateStack", folder, "Eshop-"+environmentName, d.parameters(), d.tamed)

	eventually(t, patience, func() bool {
		is, err := tn.send("GET", "/api-engine/customers/"+after, nil)
		require.NoError(t, err)
		return is.status == 404
	}, "what came later is not there")
	tn.get("/api-engine/customers/" + before)
	a.hears("customerCreate", tn.customer())
}
