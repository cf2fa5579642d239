//go:build stack

package journeys

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/stretchr/testify/require"

	"eshop/shared/awsconf"
)

// emulator is MiniStack: AWS in one process, which makes stacks of templates, runs their functions' programs and holds
// calls against the policies of their roles.
type emulator struct {
	t       *testing.T
	url     string
	config  aws.Config // of one region
	storage *s3.Client
	assets  string // the bucket where CDK puts what stacks are made of
}

const (
	account = "000000000000"
	region  = "us-east-1" // where an emulator begins
)

// emulated starts it on a free port; it ends with the test. MINISTACK is its program.
func emulated(t *testing.T) *emulator {
	program := os.Getenv("MINISTACK")
	require.NotEmpty(t, program, "make test-stack installs the emulator and names it")
	at := freePort(t)
	_, port, _ := net.SplitHostPort(at)
	e := &emulator{t: t, url: "http://" + at}
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
	*e = *e.in(region)
	return e
}

// in is the emulator in another region.
func (e *emulator) in(region string) *emulator {
	e.t.Helper()
	var err error
	there := &emulator{t: e.t, url: e.url, assets: "cdk-hnb659fds-assets-" + account + "-" + region}
	there.config, err = awsconf.Load(func(name string) string {
		return map[string]string{"AWS_ENDPOINT_URL": e.url, "AWS_REGION": region, "AWS_ACCESS_KEY_ID": "test",
			"AWS_SECRET_ACCESS_KEY": "test"}[name]
	})
	require.NoError(e.t, err)
	there.storage = s3.NewFromConfig(there.config, func(o *s3.Options) { o.UsePathStyle = true })
	bucket := &s3.CreateBucketInput{Bucket: &there.assets}
	if region != "us-east-1" { // where S3 refuses a location
		bucket.CreateBucketConfiguration = &s3types.CreateBucketConfiguration{
			LocationConstraint: s3types.BucketLocationConstraint(region)}
	}
	_, err = there.storage.CreateBucket(e.t.Context(), bucket)
	require.NoError(e.t, err)
	return there
}

// stack makes or updates a stack by a template in the folder of CDK's output, and returns the physical names of its
// resources.
func (e *emulator) stack(action, folder, name string, parameters fields,
	mend func(resources map[string]resource),
) map[string]string {
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
	e.puts(e.assets, name+".json", b)
	send := url.Values{"StackName": {name}, "TemplateURL": {e.url + "/" + e.assets + "/" + name + ".json"},
		"Capabilities.member.1": {"CAPABILITY_IAM"}}
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
	b = e.sends("logs", string(b), "Content-Type", "application/x-amz-json-1.1", "X-Amz-Target",
		"Logs_20140328."+action)
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
	require.NoError(e.t, v4.NewSigner().SignHTTP(ctx, as, r, hex.EncodeToString(sum[:]), service, e.config.Region,
		time.Now()))
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
			require.Equal(e.t, e.assets, strings.NewReplacer("${AWS::AccountId}", account,
				"${AWS::Region}", e.config.Region).Replace(to.BucketName))
			e.puts(e.assets, to.ObjectKey, zipped(e.t, filepath.Join(folder, f.Source.Path)))
		}
	}
}

func (e *emulator) puts(bucket, key string, body []byte) {
	e.t.Helper()
	_, err := e.storage.PutObject(e.t.Context(),
		&s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(body)})
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
