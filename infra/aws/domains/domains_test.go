package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudfront"
	"github.com/stretchr/testify/require"

	"eshop/infra/local"
)

// world is an installation with a shop, and CloudFront.
type world struct {
	t     *testing.T
	cloud *cloud
	aws   string // CloudFront's address
	platform
	shop string
}

const (
	domain   = "www.kavarna.example"
	endpoint = "d111111abcdef8.cloudfront.net"
)

type object = map[string]any

func open(t *testing.T) *world {
	public, err := url.Parse("https://example.com")
	require.NoError(t, err)
	const token = "the-operators-own-token"
	p, err := local.Start(t.Context(), local.Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), PublicURL: public,
		Environment: "development", OperatorToken: token, Random: rand.Reader, Log: slog.New(slog.DiscardHandler),
		Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Stop()) })
	w := &world{t: t, cloud: &cloud{tenants: map[string]*held{"*.example.com": {ID: "dt_own", Name: "Eshop-try-Edge",
		DistributionID: "EDIST", Enabled: true, found: true, Domains: []domainResult{{"*.example.com", "active"}}}}}}
	w.aws = w.cloud.serve(t).URL
	w.platform = platform{p.BaseURL, token}
	w.shop = w.makeShop("tea.example.com")
	return w
}

// makeShop makes a shop with a domain.
func (w *world) makeShop(domain string) string {
	var made shop
	require.NoError(w.t, w.ask(w.t.Context(), "POST", "/operator/shops", object{"name": "Tea", "domain": domain,
		"locale": "cs_CZ", "currency": "CZK", "owner": object{"email": "jana@example.cz"}}, &made))
	return made.ID
}

// website is where the shop is told to be.
func (w *world) website() string {
	var s shop
	require.NoError(w.t, w.ask(w.t.Context(), "GET", "/operator/shops/"+w.shop, nil, &s))
	return s.WebsiteURL
}

// call calls the command, and says what it tells. Time passes whenever it waits.
func (w *world) call(shop, name string, remove bool) (string, error) {
	var out bytes.Buffer
	client := cloudfront.New(cloudfront.Options{Region: "us-east-1", BaseEndpoint: &w.aws, Retryer: aws.NopRetryer{},
		Credentials: aws.AnonymousCredentials{}})
	err := (&walk{edge: edge{client, "EDIST", "cg_1", endpoint, "try"}, platform: w.platform, out: &out,
		look: func(context.Context) error { w.cloud.pass(); return nil }}).does(w.t.Context(), shop, name, remove)
	return out.String(), err
}

func TestADomainGoesFromNothingToServing(t *testing.T) {
	w := open(t)
	told, err := w.call(w.shop, "WWW.Kavarna.example.", false)
	require.NoError(t, err)
	require.Contains(t, told, "www.kavarna.example. CNAME d111111abcdef8.cloudfront.net.")
	require.Contains(t, told, `_cf-challenge.www.kavarna.example. TXT "d111111abcdef8.cloudfront.net"`)
	require.Equal(t, "https://tea.example.com", w.website(), "a shop stays where it is until the domain serves")

	w.cloud.leads = true
	told, err = w.call(w.shop, domain, false)
	require.NoError(t, err)
	require.Contains(t, told, domain+" serves the shop "+w.shop+", whose addresses begin with https://"+
		domain)
	require.Equal(t, "https://"+domain, w.website())
	got := *w.cloud.tenants[domain]
	require.Equal(t, []any{w.shop + "." + domain, "EDIST", "cg_1", arn, true, "Deployed", "active"},
		[]any{got.Name, got.DistributionID, got.ConnectionGroupID, got.Customizations.Certificate, got.Enabled,
			got.Status, got.Domains[0].Status})

	changed := w.cloud.changed
	again, err := w.call(w.shop, domain, false)
	require.NoError(t, err)
	require.Contains(t, again, domain+" serves the shop")
	require.Equal(t, changed, w.cloud.changed, "who asks again changes nothing")

	told, err = w.call("", domain, false)
	require.NoError(t, err)
	require.Equal(t, w.shop+"  www.kavarna.example  active, Deployed\n  certificate  issued\n  DNS          "+
		"valid-configuration\n", told)
	told, err = w.call("", "", false)
	require.NoError(t, err)
	require.Equal(t, w.shop+"  www.kavarna.example  active, Deployed\n", told,
		"the installation's own names are no shop's")
	require.Equal(t, changed, w.cloud.changed, "who looks changes nothing")

	told, err = w.call("", domain, true)
	require.NoError(t, err)
	require.Contains(t, told, "delete-certificate --region us-east-1 --certificate-arn "+arn)
	require.NotContains(t, w.cloud.tenants, domain)
	require.Contains(t, w.website(), ".example.com", "a shop without a domain at the edge is below the platform's name")
	told, err = w.call("", domain, true)
	require.NoError(t, err)
	require.Equal(t, domain+" is not at the edge\n", told)
}

// TestACallThatIsCutOffIsGoneOnWith, or taken back, wherever it was cut off: after each of its requests in turn, which
// was done, and whose answer is lost.
func TestACallThatIsCutOffIsGoneOnWith(t *testing.T) {
	w := open(t)
	w.cloud.leads = true
	for _, cut := range []bool{false, true} {
		for _, then := range []bool{false, true} {
			for n := 1; ; n++ {
				_, err := w.call(w.shop, domain, !cut)
				require.NoError(t, err)
				w.cloud.cutAfter(n)
				_, err = w.call(w.shop, domain, cut)
				if left := w.cloud.cutAfter(0); left > 0 {
					require.NoError(t, err)
					require.Greater(t, n, 6, "it has as many requests")
					break
				}
				require.Error(t, err)
				if then {
					w.cloud.pass() // a tenant is not found the moment it is made
				}
				_, err = w.call(w.shop, domain, then)
				require.NoError(t, err, "REMOVE is %t, and %t after the request %d", cut, then, n)
				require.Equal(t, then, w.cloud.tenants[domain] == nil)
				require.Equal(t, !then, w.website() == "https://"+domain)
			}
		}
	}
}

// TestTheRightsThatACallWantsAreTold by the guide and by who is refused: each operation that is called.
func TestTheRightsThatACallWantsAreTold(t *testing.T) {
	guide, err := os.ReadFile("../../../functions/docs/operations.md")
	require.NoError(t, err)
	var source []byte
	for _, file := range []string{"edge.go", "walk.go"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		source = append(source, text...)
	}
	calls := regexp.MustCompile(`cloudfront\.([A-Z][A-Za-z]+)Input\{`).FindAllSubmatch(source, -1)
	require.Greater(t, len(calls), 8)
	for _, call := range calls {
		require.Contains(t, todo["AccessDenied"], string(call[1]))
		require.Contains(t, string(guide), "`"+string(call[1])+"`")
	}
}

func TestATenantThatIsChangedMeanwhileIsReadAgain(t *testing.T) {
	w := open(t)
	w.cloud.leads, w.cloud.another = true, true
	told, err := w.call(w.shop, domain, false)
	require.NoError(t, err)
	require.Contains(t, told, "changed meanwhile")
	require.Contains(t, told, "serves the shop")
}

func TestACertificateThatFailsIsAskedForOnceMoreACall(t *testing.T) {
	w := open(t)
	w.cloud.leads = true
	_, err := w.call(w.shop, domain, false)
	require.NoError(t, err)
	tenant := w.cloud.tenants[domain]
	tenant.Customizations, tenant.asked = nil, "failed"
	w.cloud.leads, w.cloud.fails = false, true
	changed := w.cloud.changed
	told, err := w.call(w.shop, domain, false)
	require.NoError(t, err)
	require.Contains(t, told, "asked for once more")
	require.Contains(t, told, "CAA")
	require.Equal(t, changed+1, w.cloud.changed)
	w.cloud.leads, w.cloud.fails = true, false
	_, err = w.call(w.shop, domain, false)
	require.NoError(t, err)
	require.Equal(t, arn, tenant.Customizations.Certificate)
}

func TestWhatCannotBeIsSaidWithWhatToDo(t *testing.T) {
	for _, c := range []struct {
		name   string
		sets   func(w *world)
		asks   string // the domain
		remove bool
		says   string
	}{
		{"another distribution holds the domain", func(w *world) { w.cloud.refuses = "CNAMEAlreadyExists" }, domain,
			false, "have it taken from there"},
		{"the account is full", func(w *world) { w.cloud.refuses = "EntityLimitExceeded" }, domain, false,
			"ask AWS Support for more"},
		{"rights are not enough", func(w *world) { w.cloud.refuses = "AccessDenied" }, domain, false,
			"acm:RequestCertificate"},
		{"another shop has the domain", func(w *world) { w.makeShop(domain) }, domain, false,
			"is the domain of the shop"},
		{"no shop has the id", func(w *world) { w.shop = "01KYFXV0000000000000000000" }, domain, false, "404"},
		{"there is no token", func(w *world) { w.token = "" }, domain, true, "OPERATOR_TOKEN"},
		{"it is no domain", func(*world) {}, "*.kavarna.example", false, "NAME is a domain"},
		{"the tenant is another shop's", func(w *world) {
			w.cloud.tenants[domain] = &held{ID: "dt_1", Name: "01KYFXV0000000000000000000." + domain,
				DistributionID: "EDIST", found: true,
				Domains: []domainResult{{domain, "active"}}}
		}, domain, false, "remove it first"},
		{"the tenant is another installation's", func(w *world) {
			w.cloud.tenants[domain] = &held{ID: "dt_1", Name: w.shop + "." + domain, DistributionID: "EOTHER",
				found: true, Domains: []domainResult{{domain, "active"}}}
		}, domain, true, "which this command has not made"},
		{"the tenant is the installation's own", func(w *world) {
			w.cloud.tenants["api.example.com"] = w.cloud.tenants["*.example.com"]
		}, "api.example.com", true, "which this command has not made"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t)
			w.cloud.leads = true
			c.sets(w)
			_, err := w.call(w.shop, c.asks, c.remove)
			require.ErrorContains(t, err, c.says)
			require.Zero(t, w.cloud.changed)
		})
	}
}

func TestAClosedShopsDomainIsRemoved(t *testing.T) {
	w := open(t)
	w.cloud.leads = true
	_, err := w.call(w.shop, domain, false)
	require.NoError(t, err)
	var closed shop
	require.NoError(t, w.ask(t.Context(), "DELETE", "/operator/shops/"+w.shop, nil, &closed))
	_, err = w.call("", domain, true)
	require.NoError(t, err)
	require.NotContains(t, w.cloud.tenants, domain)
}

func TestACallEndsWhenItIsInterruptedOrAWSTakesLong(t *testing.T) {
	var out bytes.Buffer
	looked, stopped := 0, errors.New("interrupted")
	walks := &walk{out: &out, look: func(context.Context) error { looked++; return nil }}
	forever := func(context.Context) (waiting, error) { return serving, nil }
	require.NoError(t, walks.untilDone(t.Context(), forever))
	require.Equal(t, looks, looked)
	require.Equal(t, "waits for CloudFront to serve the domain\nAWS takes longer than usual. Call this again later: "+
		"it goes on where it was.\n", out.String())
	walks.look = func(context.Context) error { return stopped }
	require.ErrorIs(t, walks.untilDone(t.Context(), forever), stopped)
}
