//go:build synth

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// deployment is .ci/deploy in a folder of its own, where all programs that it calls stand for those of a deployer.
type deployment struct {
	domain  string   // in the environment's settings
	stacks  string   // that are there, each whole or with its status behind a colon
	was     string   // the output Settings of the one that is deployed
	with    []string // variables
	types   []string // lines at a terminal; nil: there is none
	without string   // the program that is not there
}

// programs that stand for the deployer's, each by what bash makes of it.
var stands = map[string]string{
	"go": `[[ "$*" != *./infra/stack* ]] || { test -n "$NOW" && echo "$NOW"; }`, "npm": ``, "node": `exec "$NODE" "$@"`,
	"make": `mkdir -p infra/cdk.out; echo built >> called`,
	"aws": `case "$*" in
		--version) echo aws-cli/2.30.0 Python/3.13 ;;
		sts*) test -n "$AWS_ACCESS_KEY_ID" ;;
		ssm*) [[ $BOOTSTRAPPED == *${*: -1}* ]] ;;
		cloudformation*)
			[[ $STACKS != denied ]] || { echo "AccessDenied" >&2; exit 254; }
			[[ " $STACKS " == *" $4"[:\ ]* ]] || { echo "Stack with id $4 does not exist" >&2; exit 254; }
			status=CREATE_COMPLETE
			for stack in $STACKS; do [[ $stack != $4:* ]] || status=${stack#*:}; done
			[[ "$*" == *Settings* ]] && echo "$status	$WAS" || echo "$status	said" ;;
	esac`,
}

// run deploys, and returns how CDK was called, if it was, and all that was said.
func (d deployment) run(t *testing.T) (called, said string) {
	t.Helper()
	root := t.TempDir()
	put := func(name, text string) {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
	}
	for _, name := range []string{".ci/deploy", ".ci/parameters"} {
		text, err := os.ReadFile("../../" + name)
		require.NoError(t, err)
		put(name, string(text))
	}
	for name, does := range stands {
		if name != d.without {
			put("bin/"+name, "#!/bin/bash\n"+does)
		}
	}
	put("infra/stack/environments/try.json", "{}")
	put("infra/stack/node_modules/.bin/cdk", "#!/bin/bash\n"+
		`echo "$@" approval=$CDK_REQUIRE_APPROVAL >> called
[[ "$*" != *--outputs-file* ]] || echo '    "Origin": "gateway.example"' > infra/cdk.out/outputs.json`)
	for _, tool := range []string{"bash", "dirname", "cat", "mkdir", "od", "tr", "cut", "sha256sum", "script", "sed"} {
		at, err := exec.LookPath(tool)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(at, filepath.Join(root, "bin", tool)))
	}
	node, err := exec.LookPath("node")
	require.NoError(t, err)
	cmd := exec.Command(filepath.Join(root, ".ci/deploy"), "try")
	if d.types != nil {
		cmd = exec.Command("script", "-qec", cmd.String(), "/dev/null")
		cmd.Stdin = strings.NewReader(strings.Join(d.types, "\n") + "\n")
	}
	cmd.Env = append([]string{"PATH=" + filepath.Join(root, "bin"), "NODE=" + node, "STACKS=" + d.stacks,
		"WAS=" + d.was, "NOW=domain=" + d.domain + " mainStream= backupVault=a", "BOOTSTRAPPED=eu-central-1 us-east-1",
		"AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=id"}, d.with...)
	b, _ := cmd.CombinedOutput()
	did, err := os.ReadFile(filepath.Join(root, "called"))
	if err != nil {
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	return string(did), string(b)
}

const (
	operatorToken = "OPERATOR_TOKEN=twenty-characters-or-more"
	example       = "shop.example"
	both          = "Eshop-try Eshop-try-Edge"
	secretWanted  = "EDGE_SECRET: there is no terminal to show a new secret of the edge at"
	unchanged     = "domain=shop.example mainStream= backupVault=a"
)

func TestADeploymentSaysWhatIsMissingBeforeItBuilds(t *testing.T) {
	for _, c := range []struct {
		missing string
		deployment
	}{
		{"Go", deployment{without: "go"}},
		{"npm", deployment{without: "npm"}},
		{"Node 20 or later", deployment{without: "node"}},
		{"AWS's command line, version 2", deployment{without: "aws"}},
		{"AWS_REGION, the region of the installation", deployment{with: []string{"AWS_REGION="}}},
		{"nowhere.json, which begins as a copy of", deployment{with: []string{"SETTINGS=nowhere.json"}}},
		{"credentials: `aws sts get-caller-identity` says why", deployment{with: []string{"AWS_ACCESS_KEY_ID="}}},
		{"what CDK wants in eu-central-1: make bootstrap", deployment{with: []string{"BOOTSTRAPPED=us-east-1"}}},
		{"what CDK wants in us-east-1: make bootstrap AWS_REGION=us-east-1",
			deployment{domain: example, with: []string{"BOOTSTRAPPED=eu-central-1"}}},
		{"OPERATOR_TOKEN, 20 characters or more: there is no Eshop-try in eu-central-1", deployment{}},
		{"20 characters in OPERATOR_TOKEN", deployment{with: []string{"OPERATOR_TOKEN=short"}}},
		{secretWanted, deployment{domain: example, stacks: "Eshop-try", was: unchanged}},
		{secretWanted, deployment{domain: example, stacks: both, was: "domain= mainStream= backupVault=a"}},
		{secretWanted, deployment{domain: example, was: unchanged,
			stacks: "Eshop-try Eshop-try-Edge:ROLLBACK_COMPLETE"}},
		{"OPERATOR_TOKEN, 20 characters or more", deployment{stacks: "Eshop-try:REVIEW_IN_PROGRESS", was: "None"}},
	} {
		called, said := c.run(t)
		require.Contains(t, said, "deploy: missing: "+c.missing)
		require.Empty(t, called, c.missing)
	}
	called, said := deployment{domain: example, stacks: "Eshop-try Eshop-try-Edge:CREATE_IN_PROGRESS",
		was: unchanged, types: []string{}}.run(t)
	require.Contains(t, said, "Eshop-try-Edge is being made", "with a secret that functions have to know")
	require.Empty(t, called)
	called, said = deployment{with: []string{operatorToken, "NOW="}}.run(t)
	require.Empty(t, called, "a wrong setting is refused before anything is built")
	require.Empty(t, said, "but what settings say")
}

// TestAFirstDeploymentAsksNothing, and shows the edge's secret that it makes, which a later one does not.
func TestAFirstDeploymentAsksNothing(t *testing.T) {
	called, said := deployment{with: []string{operatorToken}}.run(t)
	const first = "deploy --app infra/cdk.out --outputs-file infra/cdk.out/outputs.json Eshop-try Eshop-try-!(Edge) "
	require.Contains(t, called, first+"--parameters Eshop-try:OperatorTokenHash=", said)
	require.NotContains(t, called, "--exclusively", "without a domain there is no edge")
	require.Contains(t, called, "approval=never", "there is no terminal to ask at")
	require.NotContains(t, called, "EdgeSecret")

	called, said = deployment{domain: example, with: []string{operatorToken}, types: []string{}}.run(t)
	_, secret, made := strings.Cut(called, "Eshop-try-Edge:EdgeSecret=")
	require.True(t, made, said)
	secret, _, _ = strings.Cut(secret, " ")
	require.Regexp(t, edgeSecrets, secret)
	require.Equal(t, 1, strings.Count(said, secret), "it is shown once")
	require.Regexp(t, `(?s)Eshop-try-!\(Edge\).*\ndeploy --app infra/cdk.out --exclusively Eshop-try-Edge `+
		`.*--parameters Eshop-try-Edge:Origin=gateway.example`, called, "the edge is told where the gateway is")
	require.Contains(t, called, "approval=\n", "CDK asks at a terminal")

	called, said = deployment{domain: example, stacks: "denied", with: []string{operatorToken}}.run(t)
	require.Contains(t, said, "AccessDenied")
	require.Empty(t, called, "whoever may not look does not know that it is the first")

	called, said = deployment{domain: example, stacks: both, was: unchanged, types: []string{}}.run(t)
	require.Contains(t, called, "deploy --app", said)
	require.NotContains(t, called+said, "secret")

	called, said = deployment{domain: example, stacks: both, was: unchanged, with: []string{"CLOSED=1"}}.run(t)
	require.Contains(t, called, first, said)
	require.NotContains(t, called, "--exclusively", "nobody is led to a closed gateway")
}

// TestWhatAnInstallationStandsOnIsNotChangedByMistake: at a terminal one is asked twice, without one CHANGE names it.
func TestWhatAnInstallationStandsOnIsNotChangedByMistake(t *testing.T) {
	for _, c := range []struct {
		name, was string
		change    string
		types     []string
		deploys   bool
	}{
		{"nothing is changed", unchanged, "", nil, true},
		{"one is changed", "domain= mainStream= backupVault=a", "", nil, false},
		{"it is named", "domain= mainStream= backupVault=a", "CHANGE=domain", nil, true},
		{"another one is named", "domain= mainStream= backupVault=a", "CHANGE=backupVault", nil, false},
		{"one of two is named", "domain= mainStream= backupVault=b", "CHANGE=domain", nil, false},
		{"all are named", "domain= mainStream= backupVault=b", "CHANGE=backupVault,mainStream,domain", nil, true},
		{"twice yes", "domain= mainStream= backupVault=b", "", []string{"yes", "domain,backupVault"}, true},
		{"once yes", "domain= mainStream= backupVault=b", "", []string{"yes", "yes"}, false},
		{"no", "domain= mainStream= backupVault=b", "", []string{"no"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			called, said := deployment{domain: example, stacks: both, was: c.was, types: c.types,
				with: []string{c.change, "EDGE_SECRET=" + strings.Repeat("a", 32)}}.run(t)
			require.Equal(t, c.deploys, called != "", said)
			if !c.deploys && c.types == nil {
				require.Contains(t, said, "deploy: say CHANGE=domain")
				require.Contains(t, said, `domain is "" and is to be "shop.example"`)
			}
		})
	}
}

// TestTheInstallationSaysWhatItStandsOn, so that the next deployment can compare.
func TestTheInstallationSaysWhatItStandsOn(t *testing.T) {
	require.Equal(t, "domain= mainStream= pipelineTable= secretsKey= secondRegion= backupVault=",
		made.services.Outputs["Settings"].Value)
	require.Equal(t, "domain=example.com mainStream= pipelineTable= secretsKey= secondRegion=eu-west-1 backupVault="+
		whole.settings["backupVault"].(string), fileOf(t, made.whole.services).Outputs["Settings"].Value)
}
