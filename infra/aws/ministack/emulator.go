// Package emulator is tests' alone: MiniStack, which takes the place of an account of AWS, and the platform's stacks as
// they are made in it. Begin with Start for the emulator, and with Deploy for the platform in it.
package emulator

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

	"eshop/shared/ports/awsconf"
)

// Emulator is MiniStack: AWS in one process, which makes stacks of templates, runs their functions' programs and holds
// calls against the policies of their roles.
type Emulator struct {
	T       *testing.T
	URL     string
	Config  aws.Config // of one region
	storage *s3.Client
	assets  string // the bucket where CDK puts what stacks are made of
}

// Account and Region are where an emulator begins.
const (
	Account = "000000000000"
	Region  = "us-east-1"
)

// patience is how long anything that has to come is waited for.
const patience = 2 * time.Minute

// Fields are those of a JSON body, or names with what they stand for.
type Fields = map[string]any

// Resource is one of a template's.
type Resource = map[string]any

// Start starts it on a free port; it ends with the test. MINISTACK is its program.
func Start(t *testing.T) *Emulator {
	t.Helper()
	program := os.Getenv("MINISTACK")
	require.NotEmpty(t, program, "make test-stack installs the emulator and names it")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, port, _ := net.SplitHostPort(at)
	emulator := &Emulator{T: t, URL: "http://" + at}
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	require.NoError(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(environment(program), "BIND_HOST=127.0.0.1", "GATEWAY_PORT="+port,
		"AWS_ENDPOINT_URL="+emulator.URL, "AUTH=true", "LAMBDA_EXECUTOR=local", "IOT_MTLS_ENABLED=0",
		"STATE_DIR="+t.TempDir(), "MINISTACK_REGION="+Region)
	cmd.Stdout, cmd.Stderr = said, said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the functions said: %s", emulator.Logged())
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
	eventually(t, func() bool {
		got, err := http.Get(emulator.URL + "/_ministack/health")
		if err == nil {
			got.Body.Close()
		}
		return err == nil && got.StatusCode == 200
	}, "the emulator starts")
	*emulator = *emulator.In(Region)
	return emulator
}

// In is the emulator in another region.
func (e *Emulator) In(region string) *Emulator {
	e.T.Helper()
	var err error
	there := &Emulator{T: e.T, URL: e.URL, assets: "cdk-hnb659fds-assets-" + Account + "-" + region}
	there.Config, err = awsconf.Load(func(name string) string { return there.variables(region)[name] })
	require.NoError(e.T, err)
	there.storage = s3.NewFromConfig(there.Config, func(o *s3.Options) { o.UsePathStyle = true })
	bucket := &s3.CreateBucketInput{Bucket: &there.assets}
	if region != "us-east-1" { // where S3 refuses a location
		bucket.CreateBucketConfiguration = &s3types.CreateBucketConfiguration{
			LocationConstraint: s3types.BucketLocationConstraint(region)}
	}
	_, err = there.storage.CreateBucket(e.T.Context(), bucket)
	require.NoError(e.T, err)
	return there
}

// Stack makes or updates a stack by a template in the folder of CDK's output, and returns the physical names of its
// resources.
func (e *Emulator) Stack(action, folder, name string, parameters Fields,
	mend func(resources map[string]Resource),
) map[string]string {
	e.T.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name+".template.json"))
	require.NoError(e.T, err)
	var template map[string]any
	require.NoError(e.T, json.Unmarshal(b, &template))
	delete(template, "Rules") // they ask for CDK's bootstrap stack, which is not there
	delete(template["Parameters"].(map[string]any), "BootstrapVersion")
	resources := template["Resources"].(map[string]any)
	all := map[string]Resource{}
	for id, r := range resources {
		all[id] = r.(map[string]any)
	}
	mend(all)
	template["Resources"] = all
	b, err = json.Marshal(template)
	require.NoError(e.T, err)
	e.Puts(e.assets, name+".json", b)
	send := url.Values{"StackName": {name}, "TemplateURL": {e.URL + "/" + e.assets + "/" + name + ".json"},
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
	eventually(e.T, func() bool {
		e.formation("DescribeStacks", url.Values{"StackName": {name}}, &is)
		require.NotRegexp(e.T, "FAILED|ROLLBACK", is.Status, "%s", e.whyNot(name))
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
func (e *Emulator) whyNot(name string) (all []string) {
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
func (e *Emulator) formation(action string, values url.Values, answer any) {
	e.T.Helper()
	values.Set("Action", action)
	values.Set("Version", "2010-05-15")
	b := e.Sends("cloudformation", values.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	if answer != nil {
		require.NoError(e.T, xml.Unmarshal(b, answer), "%.2000s", b)
	}
}

// Logged is what the functions wrote to their logs last.
func (e *Emulator) Logged() string {
	e.T.Helper()
	var groups struct {
		LogGroups []struct{ LogGroupName string }
	}
	e.logs("DescribeLogGroups", Fields{}, &groups)
	var all strings.Builder
	for _, g := range groups.LogGroups {
		var said struct{ Events []struct{ Message string } }
		e.logs("FilterLogEvents", Fields{"logGroupName": g.LogGroupName}, &said)
		for _, v := range said.Events {
			if !strings.Contains(v.Message, `"level":"INFO"`) && strings.Contains(v.Message, `"level"`) {
				fmt.Fprintf(&all, "%s: %s\n", g.LogGroupName, v.Message)
			}
		}
	}
	return all.String()
}

// logs makes a call of CloudWatch's logs.
func (e *Emulator) logs(action string, body Fields, answer any) {
	e.T.Helper()
	b, err := json.Marshal(body)
	require.NoError(e.T, err)
	b = e.Sends("logs", string(b), "Content-Type", "application/x-amz-json-1.1", "X-Amz-Target",
		"Logs_20140328."+action)
	require.NoError(e.T, json.Unmarshal(b, answer), "%.2000s", b)
}

// Sends makes a signed call of a service of AWS.
func (e *Emulator) Sends(service, body string, header ...string) []byte {
	e.T.Helper()
	ctx := context.WithoutCancel(e.T.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", e.URL+"/", strings.NewReader(body))
	require.NoError(e.T, err)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	sum := sha256.Sum256([]byte(body))
	as, err := e.Config.Credentials.Retrieve(ctx)
	require.NoError(e.T, err)
	require.NoError(e.T, v4.NewSigner().SignHTTP(ctx, as, r, hex.EncodeToString(sum[:]), service, e.Config.Region,
		time.Now()))
	got, err := http.DefaultClient.Do(r)
	require.NoError(e.T, err)
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	require.NoError(e.T, err)
	require.Equal(e.T, 200, got.StatusCode, "%.2000s", b)
	return b
}

// Uploads puts the programs of a stack where its template says that they are.
func (e *Emulator) Uploads(folder, name string) {
	e.T.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name+".assets.json"))
	require.NoError(e.T, err)
	var is struct {
		Files map[string]struct {
			Source       struct{ Path, Packaging string }
			Destinations map[string]struct{ BucketName, ObjectKey string }
		}
	}
	require.NoError(e.T, json.Unmarshal(b, &is))
	for _, f := range is.Files {
		if f.Source.Packaging != "zip" {
			continue
		}
		for _, to := range f.Destinations {
			require.Equal(e.T, e.assets, strings.NewReplacer("${AWS::AccountId}", Account,
				"${AWS::Region}", e.Config.Region).Replace(to.BucketName))
			e.Puts(e.assets, to.ObjectKey, zipped(e.T, filepath.Join(folder, f.Source.Path)))
		}
	}
}

// Puts puts an object into a bucket.
func (e *Emulator) Puts(bucket, key string, body []byte) {
	e.T.Helper()
	_, err := e.storage.PutObject(e.T.Context(),
		&s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(body)})
	require.NoError(e.T, err)
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

// environment is this process's without what the platform and make read, and with the programs first that lie beside
// the emulator's own: functions in Python are run by the one there.
func environment(program string) []string {
	env := []string{"PATH=" + filepath.Dir(program) + string(os.PathListSeparator) + os.Getenv("PATH")}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.Contains(" PATH ENVIRONMENT OPERATOR_TOKEN MAKEFLAGS MAKELEVEL MFLAGS ", " "+name+" ") {
			env = append(env, v)
		}
	}
	return env
}

// Variables are what leads tools of AWS to the emulator.
func (e *Emulator) Variables() map[string]string { return e.variables(e.Config.Region) }

func (e *Emulator) variables(region string) map[string]string {
	return map[string]string{"AWS_ENDPOINT_URL": e.URL, "AWS_REGION": region, "AWS_ACCESS_KEY_ID": "test",
		"AWS_SECRET_ACCESS_KEY": "test"}
}

// eventually waits until it is so, asking less often the longer it takes.
func eventually(t *testing.T, is func() bool, what ...any) {
	t.Helper()
	began, pause := time.Now(), 5*time.Millisecond
	for !is() {
		require.Less(t, time.Since(began), patience, what...)
		time.Sleep(pause)
		pause = min(2*pause, 200*time.Millisecond)
	}
}
