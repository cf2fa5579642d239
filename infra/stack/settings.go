package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"eshop/shared/host"
)

// Settings are what differs between installations, as their file in environments says it: each setting by the name of
// its field, with a small letter first. The table in functions/docs/operations.md says what each of them means.
type Settings struct {
	// production, staging, or any other name (contract, "Environments"): the name of the file
	Environment string `json:"-"`
	// Names below this domain lead to the platform through CloudFront: those of shops, of their admins below
	// admin.<domain>, and the API's, api.<domain>. "": there is no domain, no name leads to a shop, and the API has API
	// Gateway's own address.
	Domain      string
	AlarmEmail  string // who is woken by alarms; "": the topic has no subscriber yet
	NoticeEmail string // who reads of what can wait, and of the budget; "": the same
	// Whom to tell of a hole, as host.IsContact has it; "": security@<domain>, and without a domain nobody is named.
	SecurityContact string
	Budget          float64 // US dollars a month, of which NoticeEmail is told at four fifths
	Concurrency     float64 // Lambda's concurrent executions of the account; of few none are kept (leastForReserving)
	// changes with the operator's token and the edge's secret, and says nothing of them: see environment
	Secrets string `json:"-"`
	Fast    bool   `json:"-"` // new versions come in at once, whatever alarms ring: FAST=1 of one deployment
	Closed  bool   `json:"-"` // nobody is answered, and nothing calls functions: CLOSED=1, until the next deployment

	// Tables that stand behind the functions in place of the stack's own: the ARN of a main table's stream, and the
	// name of a pipeline's. Both were restored to one second, or the main table is a replica, alone.
	MainStream, PipelineTable string
	// The ARN of the key that seals what is in them, if that is not the stack's own: in another region a replica of it.
	SecretsKey string

	// The shop and the package with which the canary tries the platform from outside, as <shop id>/<package id>; "":
	// there is no canary.
	Canary string

	// The name below which developers' test shops have their domains, beside those that end in .test; "": none.
	TestDomain string

	SecondRegion string // where the main table has a replica; "": it has none
	BackupVault  string // the ARN of the vault in another region or account to which the data is copied; "": it is not
}

// foundation is what an installation stands on, as a word for each setting. A deployment that changes any of it puts
// the functions on other data or takes their names away, and asks before (.ci/deploy).
func (s Settings) foundation() string {
	return strings.Join([]string{"domain=" + s.Domain, "mainStream=" + s.MainStream,
		"pipelineTable=" + s.PipelineTable, "secretsKey=" + s.SecretsKey, "secondRegion=" + s.SecondRegion,
		"backupVault=" + s.BackupVault}, " ")
}

// settings reads the settings of the environment that ENV names from the file that SETTINGS names, by default from the
// environment's own. It refuses names that it does not know and values that make no sense: a wrong setting must fail
// here, in a second, and not in the middle of a deployment.
func settings(getenv func(string) string) (Settings, error) {
	read := Settings{Environment: cmp.Or(getenv("ENV"), "development"), Budget: 200, Concurrency: newAccount,
		Fast: getenv("FAST") != "", Closed: getenv("CLOSED") != ""}
	if !environments.MatchString(read.Environment) {
		return read, fmt.Errorf("ENV %q is not a name of small letters, digits and hyphens", read.Environment)
	}
	name := cmp.Or(getenv("SETTINGS"), "infra/stack/environments/"+read.Environment+".json")
	b, err := os.ReadFile(name)
	if err != nil {
		return read, fmt.Errorf("%w: an environment begins as a copy of infra/stack/environments/development.json", err)
	}
	said := map[string]any{}
	if err = json.Unmarshal(b, &said); err == nil {
		known := json.NewDecoder(bytes.NewReader(b))
		known.DisallowUnknownFields()
		err = known.Decode(&read)
	}
	for name := range said { // that decoder takes a name in any case, and who else reads the file does not
		if err != nil {
			break
		}
		if _, is := reflect.TypeFor[Settings]().FieldByName(title(name)); !is || title(name) == name {
			err = fmt.Errorf("no setting is called %q", name)
		}
	}
	if err == nil {
		read.Secrets, err = secrets(getenv("OPERATOR_TOKEN"), getenv("EDGE_SECRET"))
	}
	if err == nil {
		err = read.check()
	}
	if err == nil && read.SecondRegion != "" && read.SecondRegion == getenv("AWS_REGION") {
		err = errors.New("secondRegion is the one that this is deployed in")
	}
	if err != nil {
		return read, fmt.Errorf("%s: %w", name, err)
	}
	read.NoticeEmail = cmp.Or(read.NoticeEmail, read.AlarmEmail)
	if read.Domain != "" {
		// security@ is the name that RFC 2142 has for it.
		read.SecurityContact = cmp.Or(read.SecurityContact, "mailto:security@"+read.Domain)
	}
	return read, nil
}

// secrets is what stands for the operator's token and the edge's secrets in the templates, so that functions have new
// versions when they change. Without them it is "", and the last ones stay.
func secrets(token, edge string) (string, error) {
	all := strings.Fields(edge)
	if len(all) > 2 {
		return "", errors.New("EDGE_SECRET is one secret, or two while it is changed")
	}
	if slices.ContainsFunc(all, func(one string) bool { return !edgeSecrets.MatchString(one) }) {
		return "", errors.New("a secret in EDGE_SECRET is 32 to 128 letters and digits: openssl rand -hex 32")
	}
	if token == "" && edge == "" {
		return "", nil
	}
	once := sha256.Sum256([]byte(token + " " + edge))
	return fmt.Sprintf("%x", sha256.Sum256(once[:]))[:16], nil
}

// edgeSecrets matches a secret of the edge's.
var edgeSecrets = regexp.MustCompile(`^[A-Za-z0-9]{32,128}$`)

// newAccount is the concurrency that Lambda gives a new account: a deployment that says nothing else succeeds there.
const newAccount = 10

// environments matches names that may be a part of a stack's name.
var environments = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// domains matches names below which others may be made.
var domains = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$`)

// runs are the functions of a list that run in this installation.
func (s Settings) runs(list []host.Function) []host.Function {
	return slices.DeleteFunc(slices.Clone(list), func(f host.Function) bool { return f.Outside && s.Canary == "" })
}

// streams matches the ARN of a table's stream. The table's name is a part of it.
var streams = regexp.MustCompile(`^arn:[^:]+:dynamodb:[^:]+:[0-9]*:table/([A-Za-z0-9_.-]+)/stream/[^/]+$`)

// multiRegionKeys matches the ARN of a key that has the same in another region.
var multiRegionKeys = regexp.MustCompile(`^arn:[^:]+:kms:[^:]+:[0-9]{12}:key/mrk-[0-9a-f]+$`)

// vaults matches the ARN of a vault of AWS Backup.
var vaults = regexp.MustCompile(`^arn:[^:]+:backup:[^:]+:[0-9]{12}:backup-vault:[A-Za-z0-9_-]{2,50}$`)

// regions matches the name of a region.
var regions = regexp.MustCompile(`^[a-z]{2}(-[a-z]+)+-[0-9]$`)

// check says what is wrong with the settings. Production must have an address for alarms: alarms that nobody hears
// would be none.
func (s Settings) check() error {
	switch {
	case s.Environment == "production" && s.AlarmEmail == "":
		return errors.New("production needs an address for alarms: alarmEmail")
	case s.AlarmEmail != "" && !strings.Contains(s.AlarmEmail, "@"):
		return fmt.Errorf("alarmEmail is an address like ops@example.com, and not %q", s.AlarmEmail)
	case s.NoticeEmail != "" && !strings.Contains(s.NoticeEmail, "@"):
		return fmt.Errorf("noticeEmail is an address like ops@example.com, and not %q", s.NoticeEmail)
	case s.Budget <= 0:
		return fmt.Errorf("budget is US dollars a month, and not %v", s.Budget)
	case s.Concurrency < 1:
		return fmt.Errorf("concurrency is how many calls of Lambda run at once, and not %v", s.Concurrency)
	case s.SecurityContact != "" && !host.IsContact(s.SecurityContact):
		return fmt.Errorf("securityContact is an address like mailto:security@example.com or "+
			"https://example.com/report, and not %q", s.SecurityContact)
	case s.Domain != "" && !domains.MatchString(s.Domain):
		return fmt.Errorf("domain %q is not a name as example.com", s.Domain)
	case slices.Contains(strings.Split(s.Domain, "."), "admin"):
		return fmt.Errorf("domain %q has a label that tells admins of shops from shops", s.Domain)
	case s.PipelineTable != "" && s.MainStream == "":
		return errors.New("pipelineTable goes with mainStream: both tables are restored to the same second")
	case s.MainStream != "" && !streams.MatchString(s.MainStream):
		return fmt.Errorf("mainStream is the ARN of a table's stream, and not %q", s.MainStream)
	case s.SecretsKey != "" && s.MainStream == "":
		return errors.New("secretsKey goes with mainStream: what other tables hold it does not open")
	case s.SecretsKey != "" && !multiRegionKeys.MatchString(s.SecretsKey):
		return fmt.Errorf("secretsKey is the ARN of a multi-Region key, and not %q", s.SecretsKey)
	case s.Canary != "" && s.Domain == "":
		return errors.New("canary opens a page of a shop, and without domain no name leads to a storefront")
	case s.Canary != "" && !host.IsCanary(s.Canary):
		return fmt.Errorf("canary is <shop id>/<package id>, and not %q", s.Canary)
	case s.TestDomain != "" && !domains.MatchString(s.TestDomain):
		return fmt.Errorf("testDomain is a name as dev.example.com, and not %q", s.TestDomain)
	case s.SecondRegion != "" && !regions.MatchString(s.SecondRegion):
		return fmt.Errorf("secondRegion is a region as eu-west-1, and not %q", s.SecondRegion)
	case s.BackupVault != "" && !vaults.MatchString(s.BackupVault):
		return fmt.Errorf("backupVault is the ARN of a backup vault, and not %q", s.BackupVault)
	}
	return nil
}
