package house_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// floors are the folders from the ground up. What lies in one imports from the floors below it and from its own folder,
// and nothing else of ours, so that what lies deep never changes for what lies high. Within a folder, and downwards, no
// reason is asked for: that ports know nothing of each other, and that a noun uses few others, is left to who reads.
var floors = [][]string{
	{"shared/base/..."},   // knows nothing of shops
	{"events/..."},        // what happened
	{"shared/ports/..."},  // what a host must bring
	{"shared/record/..."}, // how anything is kept, changed and told
	{"shared/images/...", "shared/people/...", "shared/page/...", "shared/frontend/..."},
	{"shared/catalog/..."},
	{"shared/sale/..."},
	{"shared/shop/...", "shared/search/..."},
	{"shared/addon/...", "shared/api/..."},
	{"shared/webhook/..."},
	{"shared/job/..."},
	{"shared/host/..."},
	{"functions/docs/openapi"},
	{"functions/*"}, // doors and machines, of which none imports another one
	{"functions"},   // THE list
	{"functions/*/lambda", "infra/..."},
}

// ban is a package of others, with all below it, or one or a folder of ours, that only some of ours may import.
type ban struct {
	what, why string
	but       []string
}

// covers says whether it is of this import. What lies below a package of the standard library is another one.
func (b ban) covers(imported string) bool {
	return matches([]string{b.what}, imported) || strings.Contains(b.what, ".") &&
		strings.HasPrefix(imported, b.what+"/")
}

var bans = []ban{
	{"github.com/aws/aws-lambda-go", "functions know no Lambda: they run in one process, too",
		[]string{"shared/host/lambda", "infra/stack/rehearsal", "infra/aws/engines/...",
			"infra/journeys"}},
	{"github.com/aws/aws-sdk-go-v2/service", "each service of AWS stands behind one interface of ours",
		[]string{"shared/ports/store/dynamo", "shared/ports/limit/dynamo", "shared/ports/queue/sqs",
			"shared/ports/secret/kms", "shared/ports/blob/s3", "infra/stack/rehearsal", "infra/stack/restore/...",
			"infra/aws/engines/...", "infra/aws/unheard", "infra/aws/domains",
			"infra/aws/ministack"}},
	{"github.com/aws/aws-sdk-go-v2", "the configuration of AWS's clients is made and handed on by hosts only",
		[]string{"shared/ports/store/dynamo", "shared/ports/limit/dynamo", "shared/ports/queue/sqs",
			"shared/ports/secret/kms", "shared/ports/blob/s3", "shared/ports/awsconf",
			"shared/host/lambda", "infra/stack/rehearsal", "infra/aws/engines/...", "infra/aws/ministack",
			"infra/journeys", "infra/stack/restore/...", "infra/aws/unheard",
			"infra/aws/domains"}},
	{"github.com/aws/aws-cdk-go", "the stack is infra's", []string{"infra/stack"}},
	{"github.com/aws/constructs-go", "the stack is infra's", []string{"infra/stack"}},
	{"github.com/aws/jsii-runtime-go", "the stack is infra's, and a Lambda has no node", []string{"infra/stack"}},
	{"github.com/cdklabs", "the stack is infra's", []string{"infra/stack"}},
	{"crypto/hmac", "secret.MAC signs with the platform's own secret, and package signature signs webhooks",
		[]string{"shared/ports/secret", "shared/webhook/signature", "functions/docs/receivers", "infra/demo/gifts"}},
	{"go.etcd.io/bbolt", "the file is one implementation of a table", []string{"shared/ports/store/bolt"}},
	{"github.com/piglig/go-qr", "the QR code of a transfer is drawn in one place", []string{"shared/base/paycode"}},
	{"github.com/ulikunitz/xz", "the QR code of a transfer is packed in one place", []string{"shared/base/paycode"}},
	{"golang.org/x/image", "what strangers send is decoded in one place, within its bounds",
		[]string{"shared/images/picture"}},
	{"github.com/danielgtaylor/huma", "it makes the schemas of the types that operations take and answer, and " +
		"requests never reach it",
		[]string{"shared/api", "shared/record/field", "functions/*", "functions/docs/openapi"}},
	{"github.com/stretchr/testify", "nothing that runs carries a test's tools",
		[]string{"*/*/*test", "*/*/*/*test", "infra/aws/engines/...", "infra/aws/ministack", "infra/journeys"}},
	{"pgregory.net/rapid", "nothing that runs carries a test's tools", []string{"*/*/*test", "*/*/*/*test"}},
	{"github.com/chromedp", "nothing that runs carries a test's tools", []string{"shared/frontend/browsertest"}},
	{"github.com/santhosh-tekuri/jsonschema", "nothing that runs carries a test's tools",
		[]string{"shared/frontend/browsertest"}},
	{"eshop/shared/frontend/browsertest", "nothing that runs carries a test's tools", nil},
	{"eshop/shared/host/hosttest", "nothing that runs carries a test's tools", nil},
	{"eshop/shared/base/egress/egresstest", "nothing that runs carries a test's tools", nil},
	{"eshop/infra/aws/ministack", "nothing that runs carries a test's tools", nil},
	{"eshop/shared/page", "a noun knows no page: its doors do", []string{"functions/*", "shared/page/*",
		"shared/host/*"}},
	{"eshop/shared/api", "a noun knows no HTTP: its doors do", []string{"functions/*", "functions/docs/openapi",
		"shared/host", "shared/host/*", "infra/..."}},
	{"eshop/functions/docs/openapi", "who serves the document reads it", []string{"functions/docs"}},
	{"eshop/functions/*", "hosts and the stack walk THE list: what they need to know of a function stands there",
		[]string{"functions", "functions/*", "functions/*/lambda", "infra/proof/evidence"}},
	{"os", "the environment is read, and files are touched, in one place of each host",
		[]string{"shared/host/lambda", "shared/ports/store/bolt", "shared/ports/secret/file",
			"shared/ports/blob/folder",
			"infra/...", "shared/frontend/browsertest", "shared/host/hosttest",
			"shared/page/pagetest"}},
}

// pkg is a package as `go list` has it.
type pkg struct {
	ImportPath string
	Imports    []string
	Standard   bool
	DepOnly    bool
	Dir        string
	GoFiles    []string
}

// list runs `go list -json` in the module's root.
func list(t *testing.T, args ...string) []pkg {
	cmd := exec.Command("go",
		append([]string{"list", "-json=ImportPath,Imports,Standard,DepOnly,Dir,GoFiles"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatal(string(exit.Stderr))
	}
	require.NoError(t, err)
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// ours is a package's path in the module, and whether it is one of its packages.
func ours(importPath string) (string, bool) { return strings.CutPrefix(importPath, "eshop/") }

// matches says whether one of the patterns is the name's: as path.Match has them, or all from a folder/... on.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if folder, all := strings.CutSuffix(p, "/..."); all {
			return name == folder || strings.HasPrefix(name, folder+"/")
		}
		ok, _ := path.Match(p, name)
		return ok
	})
}

// folder is the folder in which a package lies, of functions/ the package itself, and its floor: -1 when nobody said.
func folder(name string) (string, int) {
	for at, folders := range floors {
		for _, f := range folders {
			switch {
			case !matches([]string{f}, name):
			case strings.HasSuffix(f, "/..."):
				return f, at
			default:
				return name, at
			}
		}
	}
	return "", -1
}

func TestImportsGoDownOnly(t *testing.T) {
	for _, p := range list(t, "./...") {
		name, _ := ours(p.ImportPath)
		own, at := folder(name)
		require.GreaterOrEqual(t, at, 0, "%s lies on no floor: give its folder a place in this test", name)
		for _, imported := range p.Imports {
			if below, is := ours(imported); is {
				other, floor := folder(below)
				if floor >= at && other != own {
					t.Errorf("%s (floor %d) imports %s (floor %d)", name, at, below, floor)
				}
			}
		}
	}
}

func TestEachBanHasItsReason(t *testing.T) {
	for _, p := range list(t, "./...") {
		name, _ := ours(p.ImportPath)
		for _, imported := range p.Imports {
			for _, b := range bans {
				if b.covers(imported) && !matches(b.but, name) {
					t.Errorf("%s imports %s: %s", name, imported, b.why)
				}
			}
		}
	}
}

func TestTheGroundStandsOnTheStandardLibrary(t *testing.T) {
	ground := []string{"eshop/shared/base/guard", "eshop/shared/base/permission", "eshop/events",
		"eshop/shared/frontend", "eshop/shared/webhook/signature", "eshop/shared/base/slug"}
	for _, p := range list(t, append([]string{"-deps"}, ground...)...) {
		text := strings.HasPrefix(p.ImportPath, "golang.org/x/text/") // slugs are Unicode's business
		ulids := p.ImportPath == "github.com/oklog/ulid/v2"           // the ids of webhooks
		require.True(t, p.Standard || text || ulids || slices.Contains(ground, p.ImportPath), p.ImportPath)
	}
}

func TestALambdaLinksItsOwnFunctionAndNoTools(t *testing.T) {
	strangers := []string{"github.com/aws/jsii-runtime-go", "github.com/aws/aws-cdk-go", "go.etcd.io/bbolt",
		"github.com/stretchr/testify",
		"eshop/infra", "eshop/functions\x00"}
	for _, main := range list(t, "./functions/.../lambda") {
		own := strings.TrimSuffix(main.ImportPath, "/lambda")
		require.ElementsMatch(t, []string{own, "eshop/shared/host/lambda"}, main.Imports, "a main names one thing")
	}
	for _, p := range list(t, "-deps", "-tags", "lambda.norpc", "./functions/.../lambda") {
		for _, s := range strangers {
			require.False(t, strings.HasPrefix(p.ImportPath+"\x00", s), "a Lambda links %s", p.ImportPath)
		}
	}
}

// TestTheProgramThatIsShippedLinksNothingOfAWS: what an operator does in an account, the stack's own commands do.
func TestTheProgramThatIsShippedLinksNothingOfAWS(t *testing.T) {
	all := list(t, "-deps", "./infra/eshop")
	require.Greater(t, len(all), 100)
	for _, p := range all {
		require.False(t, strings.HasPrefix(p.ImportPath, "github.com/aws/"), "eshop links %s", p.ImportPath)
	}
}

// TestNoProgramCanLie: what make prove BREAK= puts in is in tests alone.
func TestNoProgramCanLie(t *testing.T) {
	for _, p := range list(t, "./...") {
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			require.NoError(t, err)
			require.NotContains(t, string(text), `"BREAK"`, file)
		}
	}
}
