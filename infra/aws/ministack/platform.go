package emulator

import (
	"encoding/hex"
	"encoding/json"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/host/lambda"
	"eshop/shared/ports/secret/kms"
)

// Environment is the environment of the stacks. `make test-stack` synthesises them under this name.
const Environment = "test"

const name = "Eshop-" + Environment

// Platform is the platform as its stacks make it in the emulator, of the programs that are deployed.
type Platform struct {
	*Emulator
	Address        string            // of its API
	Operator       string            // its token
	Data, Services map[string]string // the physical names of the resources of both stacks, by their logical ones
	door           string            // the id of its API
}

// Deploy makes the stacks of data and services of the templates in a folder, in the emulator's region. Their door is a
// proxy: the emulator's is not at the root of its address.
func Deploy(emulator *Emulator, folder, operator string) *Platform {
	platform := &Platform{Emulator: emulator, Operator: operator, door: "eshop-" + emulator.Config.Region}
	door, err := url.Parse(emulator.URL + "/_aws/execute-api/" + platform.door + "/$default")
	require.NoError(emulator.T, err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(door)
		r.Out.Host = r.In.Host
	}})
	emulator.T.Cleanup(proxy.Close)
	platform.Address = proxy.URL
	platform.Data = emulator.Stack("CreateStack", folder, name+"-Data", nil, platform.apart)
	emulator.Uploads(folder, name)
	platform.Services = emulator.Stack("CreateStack", folder, name, platform.parameters(), platform.reachable)
	return platform
}

// Update brings in the services of an environment of which this is said.
func (p *Platform) Update(settings Fields, variables ...string) {
	p.Stack("UpdateStack", Synthesised(p.T, settings, variables...), name, p.parameters(), p.reachable)
}

func (p *Platform) parameters() Fields {
	hash := host.TokenHash(p.Operator)
	return Fields{"OperatorTokenHash": hex.EncodeToString(hash[:])}
}

// Tamed makes a template one that the emulator takes: without what it has not (deployments by and by, alarms of several
// metrics) and without policies of resources, of which it knows no conditions.
func Tamed(all map[string]Resource) {
	types := []string{"AWS::SQS::QueuePolicy", "AWS::S3::BucketPolicy", "AWS::SNS::TopicPolicy",
		"AWS::CodeDeploy::Application", "AWS::CodeDeploy::DeploymentGroup"}
	without(all, func(r Resource) bool {
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

// apart is Tamed of the data, with names of tables that no other region has. CloudFormation gives such names by itself,
// the emulator gives the same in each region, and a replica has its name from home.
func (p *Platform) apart(all map[string]Resource) {
	Tamed(all)
	for id, r := range all {
		if r["Type"] == "AWS::DynamoDB::GlobalTable" && p.Config.Region != Region {
			r["Properties"].(map[string]any)["TableName"] = p.Config.Region + "-" + id
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

// reachable is Tamed of the services, at an address that is known before, and with receivers on this machine.
func (p *Platform) reachable(all map[string]Resource) {
	Tamed(all)
	for _, r := range all {
		has, _ := r["Properties"].(map[string]any)
		switch r["Type"] {
		case "AWS::ApiGatewayV2::Api":
			has["Tags"] = Fields{"ms-custom-id": p.door}
		case "AWS::Lambda::Function":
			env, _ := has["Environment"].(map[string]any)
			if v, _ := env["Variables"].(map[string]any); v[lambda.BaseURL] != nil {
				v[lambda.BaseURL], v[lambda.DoorURL], v[lambda.Loopback] = p.Address, p.Address, "true"
			}
		}
	}
}

// without takes some resources out, and what depends on them does so no more.
func without(all map[string]Resource, some func(r Resource) bool) {
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

// Named is the physical name of the resource whose logical name is this and the CDK's eight characters.
func Named(t testing.TB, all map[string]string, name string) string {
	t.Helper()
	for id, is := range all {
		if len(id) == len(name)+8 && strings.HasPrefix(id, name) {
			return is
		}
	}
	require.FailNow(t, "there is no such resource", name)
	return ""
}

// Synthesised is a folder with the templates of the environment with these settings beside those of test.json.
func Synthesised(t *testing.T, settings Fields, variables ...string) string {
	folder, file := t.TempDir(), filepath.Join(t.TempDir(), "test.json")
	said, err := json.Marshal(settings)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, said, 0o600))
	cdk := exec.CommandContext(t.Context(), "go", "run", "./infra/stack")
	cdk.Dir = "../.."
	cdk.Env = append(append(os.Environ(), "CDK_OUTDIR="+folder, "ENV="+Environment, "SETTINGS="+file), variables...)
	b, err := cdk.CombinedOutput()
	require.NoError(t, err, "%s", b)
	return folder
}
