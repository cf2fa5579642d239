package functions_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layers are the packages from the ground up. Each imports from the layers before its own and nothing else of ours, so
// that what lies deep never changes for what lies high.
var layers = [][]string{
	{"shared/permission"}, // what an access may do
	// ideas: no store, no queue, no host
	{"events", "events/samples", "shared/signature", "shared/slug", "shared/frontend", "shared/id", "shared/egress",
		"shared/egress/egresstest", "shared/page/stylesheet",
		"shared/guard", "shared/problem", "shared/remember", "shared/password"},
	{"shared/field", "shared/frontend/browsertest", "shared/picture", "shared/words"},
	{"shared/store", "shared/limit", "shared/queue", "shared/secret", "shared/blob"}, // poor interfaces
	{"shared/change", "shared/awsconf",
		// their implementations and suites
		"shared/store/*", "shared/limit/*", "shared/queue/*", "shared/secret/*", "shared/blob/*"},
	{"shared/job"},                      // work that outlives its request
	{"shared/record", "shared/pending"}, // how records are kept
	// what people and programs are let in by, whoever they are
	{"shared/signin", "shared/bearer"},
	{everyNoun}, // the nouns: what no other floor names
	// the frame of doors that speak JSON, and a process's attempts: no noun knows them
	{"shared/api", "shared/inflight"},
	{"shared/page"}, // the frame of pages
	{"shared/page/pagetest", "shared/host"},
	{"shared/manage"}, // operations that two doors have
	{"shared/host/hosttest"},
	{"shared/lambdahost", "functions/*"}, // doors and machines
	{"functions"},                        // THE list
	{"functions/*/lambda", "infra", "infra/*", "infra/*/*"},
}

// everyNoun is what a noun's package is called: a folder of shared/ for each kind of records that doors and machines
// share.
const everyNoun = "shared/*"

// arrows are the nouns that use another one's rules and items, so that each kind of record has one owner. No function
// uses another one.
var arrows = map[string]string{
	"addon → shop":       "the caller of an access is told its shop's website, locale and currency",
	"catalog → address":  "products and categories have a slug of their names, and URLs",
	"catalog → images":   "a product shows images that were sent to the platform",
	"shop → images":      "the logo of a shop is an image that it has sent",
	"goods → catalog":    "the demo's goods are made as all are",
	"sale → catalog":     "an order takes stock from products, at their prices, and puts it back",
	"sale → customer":    "an order is sold at its customer's price level",
	"sale → images":      "a price quote has images of its own",
	"search → catalog":   "products are found by their words",
	"search → customer":  "customers are found by their words",
	"search → sale":      "orders are found by their words, and by their state",
	"shelf → catalog":    "what visitors see is read from products and categories",
	"leaving → addon":    "its packages are deactivated, and their accesses go",
	"leaving → audit":    "what its admins did goes",
	"leaving → catalog":  "its goods go",
	"leaving → customer": "its customers go",
	"leaving → imports":  "its imports go",
	"leaving → sale":     "its orders, coupons, quotes and states go",
	"leaving → search":   "the index forgets what went",
	"leaving → shop":     "the shop is closed, restored, and goes",
	"leaving → staff":    "its admins go",
	"leaving → webhook":  "its receivers go",
	"exports → shop":     "a whole shop is exported only if there is one",
	"erasure → customer": "the customer is deleted at once",
	"erasure → sale":     "its orders are erased one by one",
	"erasure → webhook":  "whoever was told, and what became of it, is in the deliveries",
	"exports → imports":  "a file is as imports take it",
	"shop → sale":        "a new shop has its order states at once",
	"webhook → addon":    "a receiver is an access's, and goes by what that may",
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
		[]string{"shared/lambdahost", "infra/rehearsal", "infra/engines", "infra/engines/*",
			"infra/journeys"}},
	{"github.com/aws/aws-sdk-go-v2/service", "each service of AWS stands behind one interface of ours",
		[]string{"shared/store/dynamo", "shared/limit/dynamo", "shared/queue/sqs", "shared/secret/kms",
			"shared/blob/s3", "infra/rehearsal", "infra/restore", "infra/engines", "infra/engines/*",
			"infra/emulator"}},
	{"github.com/aws/aws-sdk-go-v2", "the configuration of AWS's clients is made and handed on by hosts only",
		[]string{"shared/store/dynamo", "shared/limit/dynamo", "shared/queue/sqs", "shared/secret/kms",
			"shared/blob/s3", "shared/awsconf",
			"shared/lambdahost", "infra/rehearsal", "infra/engines", "infra/engines/*", "infra/emulator",
			"infra/journeys", "infra/restore"}},
	{"github.com/aws/aws-cdk-go", "the stack is infra's", []string{"infra"}},
	{"github.com/aws/constructs-go", "the stack is infra's", []string{"infra"}},
	{"github.com/aws/jsii-runtime-go", "the stack is infra's, and a Lambda has no node", []string{"infra"}},
	{"github.com/cdklabs", "the stack is infra's", []string{"infra"}},
	{"crypto/hmac", "secret.MAC signs with the platform's own secret, and package signature signs webhooks",
		[]string{"shared/secret", "shared/signature", "functions/docs/receivers", "infra/local/gifts"}},
	{"go.etcd.io/bbolt", "the file is one implementation of a table", []string{"shared/store/bolt"}},
	{"golang.org/x/image", "what strangers send is decoded in one place, within its bounds",
		[]string{"shared/picture"}},
	{"github.com/danielgtaylor/huma", "it makes the schemas of the types that operations take and answer, and " +
		"requests never reach it",
		[]string{"shared/api", "shared/field", "functions/*"}},
	{"github.com/stretchr/testify", "nothing that runs carries a test's tools",
		[]string{"*/*/*test", "infra/engines", "infra/engines/*", "infra/emulator", "infra/journeys",
			"infra/proof/simulate"}},
	{"pgregory.net/rapid", "nothing that runs carries a test's tools", []string{"*/*/*test"}},
	{"github.com/chromedp", "nothing that runs carries a test's tools", []string{"shared/frontend/browsertest"}},
	{"github.com/santhosh-tekuri/jsonschema", "nothing that runs carries a test's tools",
		[]string{"shared/frontend/browsertest"}},
	{"eshop/shared/frontend/browsertest", "nothing that runs carries a test's tools", nil},
	{"eshop/shared/host/hosttest", "nothing that runs carries a test's tools", nil},
	{"eshop/shared/egress/egresstest", "nothing that runs carries a test's tools", []string{"infra/journeys/simtest"}},
	{"eshop/infra/emulator", "nothing that runs carries a test's tools", nil},
	{"eshop/infra/journeys/simtest", "nothing that runs carries a test's tools", nil},
	{"eshop/infra/proof/simulate", "nothing that runs carries a test's tools", nil},
	{"eshop/functions/*", "hosts and the stack walk THE list: what they need to know of a function stands there",
		[]string{"functions", "functions/*", "functions/*/lambda"}},
	{"os", "the environment is read, and files are touched, in one place of each host",
		[]string{"shared/lambdahost", "shared/store/bolt", "shared/secret/file", "shared/blob/folder",
			"infra", "infra/*", "infra/*/*", "shared/frontend/browsertest", "shared/host/hosttest",
			"shared/page/pagetest"}},
}

// pkg is a package as `go list` has it.
type pkg struct {
	ImportPath string
	Imports    []string
	Standard   bool
	DepOnly    bool
}

// list runs `go list -json` in the module's root.
func list(t *testing.T, args ...string) []pkg {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Standard,DepOnly"}, args...)...)
	cmd.Dir = ".."
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

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, name); return ok })
}

// layer is where a package lies, -1 when nobody said.
func layer(name string) int {
	named := func(l []string) bool { return l[0] != everyNoun && matches(l, name) }
	if at := slices.IndexFunc(layers, named); at >= 0 {
		return at
	}
	return slices.IndexFunc(layers, func(l []string) bool { return matches(l, name) })
}

func TestImportsGoDownOnly(t *testing.T) {
	used := map[string]bool{}
	for _, p := range list(t, "./...") {
		name, _ := ours(p.ImportPath)
		at := layer(name)
		require.GreaterOrEqual(t, at, 0, "%s lies in no layer: give it its place in this test", name)
		for _, imported := range p.Imports {
			below, is := ours(imported)
			if !is {
				continue
			}
			from, to := owner(name), owner(below)
			switch {
			case layer(below) < at:
			case at == len(layers)-1 && strings.HasPrefix(name, "infra/"): // hosts and tools of tests, among themselves
			case from != "" && to != "":
				used[from+" → "+to] = true
				require.Contains(t, arrows, from+" → "+to,
					"nouns use each other only along the arrows of this test, functions not at all")
			default:
				t.Errorf("%s (layer %d) imports %s (layer %d)", name, at, below, layer(below))
			}
		}
	}
	for arrow := range arrows {
		require.True(t, used[arrow], "nobody goes along %s any more", arrow)
	}
}

// owner is the name of the noun that a package is, or of the function whose folder it is; "" when it is neither.
func owner(name string) string {
	if at := layer(name); at >= 0 && layers[at][0] == everyNoun {
		return strings.TrimPrefix(name, "shared/")
	}
	f, is := strings.CutPrefix(name, "functions/")
	if !is || strings.Contains(f, "/") {
		return ""
	}
	return f
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
	ground := []string{"eshop/shared/guard", "eshop/shared/permission", "eshop/events", "eshop/shared/frontend",
		"eshop/shared/signature", "eshop/shared/slug"}
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
		require.ElementsMatch(t, []string{own, "eshop/shared/lambdahost"}, main.Imports, "a main names one thing")
	}
	for _, p := range list(t, "-deps", "-tags", "lambda.norpc", "./functions/.../lambda") {
		for _, s := range strangers {
			require.False(t, strings.HasPrefix(p.ImportPath+"\x00", s), "a Lambda links %s", p.ImportPath)
		}
	}
}
