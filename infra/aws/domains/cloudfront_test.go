package main

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// cloud stands for CloudFront's API of tenants: a state machine whose requests, answers and errors have the shapes of
// AWS's model of the API 2020-05-31, of which its reference is made. (Items of the lists Domains are named member
// there, and DomainItem and DomainResult in the reference alone.) Three things are what people tell who have called it:
// a tenant is refused while its domain does not lead to CloudFront (aws/aws-sdk-php#3129), a certificate that was
// issued is attached by nobody but the caller, and a domain is active once CloudFront was asked to look at its entry.
type cloud struct {
	mu      sync.Mutex
	tenants map[string]*held // by their domains
	leads   bool             // the DNS entry of each domain is there
	fails   bool             // certificates fail
	refuses string           // the code of the error of each request that would make a tenant
	changed int              // requests that have changed something

	cut     int  // after so many requests, counted from 1, the next answer is lost; 0: none is
	another bool // somebody else changes the tenant before the next update
}

// held is a tenant.
type held struct {
	XMLName           xml.Name `xml:"DistributionTenant"`
	ID                string   `xml:"Id"`
	Name              string
	DistributionID    string         `xml:"DistributionId"`
	ConnectionGroupID string         `xml:"ConnectionGroupId"`
	Domains           []domainResult `xml:"Domains>member"`
	Customizations    *customized
	Enabled           bool
	Status            string

	asked string // the status of the certificate that it was asked for
	found bool   // by its domain, some time after it was made
	etag  int
}

// customized is a tenant with a certificate.
type customized struct {
	Certificate string `xml:"Certificate>Arn"`
}

type domainResult struct{ Domain, Status string }

// asks is what a request may hold: Create…, Update…, ListDistributionTenantsRequest, and VerifyDnsConfigurationRequest.
type asks struct {
	XMLName      xml.Name
	Name         string
	Distribution string   `xml:"DistributionId"`
	Group        string   `xml:"ConnectionGroupId"`
	Domains      []string `xml:"Domains>member>Domain"`
	Certificate  string   `xml:"Customizations>Certificate>Arn"`
	Enabled      bool
	TokenHost    string `xml:"ManagedCertificateRequest>ValidationTokenHost"`
	Of           string `xml:"AssociationFilter>DistributionId"` // of a list
	Domain       string // whose entry is to be verified
	Identifier   string
}

const arn = "arn:aws:acm:us-east-1:123456789012:certificate/655dc1fe-6d37-451d-a013-c2db3a034abc"

// pass is some time, in which CloudFront does what it was asked for.
func (c *cloud) pass() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.tenants {
		t.Status = "Deployed"
		if t.asked == "pending-validation" && c.leads {
			t.asked = "issued"
			t.etag++
		} else if t.asked == "pending-validation" && c.fails {
			t.asked = "failed"
		}
		t.found = true
	}
}

// cutAfter loses the answer to the n-th request from here, or with 0 none, and returns how many were still to come
// until the one before would have been lost. A handler whose answer is lost ends after its caller.
func (c *cloud) cutAfter(n int) (left int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left, c.cut = c.cut, n
	return left
}

// serve answers as CloudFront does.
func (c *cloud) serve(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		var in asks
		if len(body) > 0 {
			require.NoError(t, xml.Unmarshal(body, &in), string(body))
			require.Equal(t, "http://cloudfront.amazonaws.com/doc/2020-05-31/", in.XMLName.Space)
		}
		status, answer, etag := c.answer(r, in)
		if c.cut--; c.cut == 0 {
			panic(http.ErrAbortHandler)
		}
		if etag > 0 {
			w.Header().Set("ETag", fmt.Sprint("E", etag))
		}
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	s.Config.SetKeepAlivesEnabled(false) // or a client would ask again itself where an answer is lost
	t.Cleanup(s.Close)
	return s
}

// answer is the answer to a request.
func (c *cloud) answer(r *http.Request, in asks) (status int, answer string, etag int) {
	path := strings.TrimPrefix(r.URL.Path, "/2020-05-31/")
	what, id, _ := strings.Cut(path, "/")
	t := c.of(cmp.Or(id, in.Identifier, r.URL.Query().Get("domain")))
	shown := func(status int, t *held) (int, string, int) {
		text, _ := xml.Marshal(t)
		return status, string(text), t.etag
	}
	switch call := r.Method + " " + what; {
	case call == "POST distribution-tenant":
		return c.create(in, shown)
	case call == "POST distribution-tenants":
		return c.list(in)
	case t == nil || id == "" && call == "GET distribution-tenant" && !t.found:
		return refusal(404, "EntityNotFound", "The entity was not found.")
	case call == "GET distribution-tenant":
		return shown(200, t)
	case call == "GET managed-certificate":
		if t.asked == "" {
			return refusal(404, "EntityNotFound", "The entity was not found.")
		}
		return 200, "<ManagedCertificateDetails><CertificateArn>" + arn + "</CertificateArn><CertificateStatus>" +
			t.asked + "</CertificateStatus><ValidationTokenHost>cloudfront</ValidationTokenHost>" +
			"</ManagedCertificateDetails>", 0
	case call == "POST verify-dns-configuration":
		if c.leads && t.Customizations != nil {
			t.Domains[0].Status = "active"
		}
		is := map[bool]string{true: "valid-configuration", false: "invalid-configuration"}[c.leads]
		return 200, "<VerifyDnsConfigurationResult><DnsConfigurationList><DnsConfiguration><Domain>" + in.Domain +
			"</Domain><Status>" + is + "</Status></DnsConfiguration></DnsConfigurationList>" +
			"</VerifyDnsConfigurationResult>", 0
	}
	if c.another {
		c.another = false
		t.etag++
	}
	if r.Header.Get("If-Match") != fmt.Sprint("E", t.etag) {
		return refusal(412, "PreconditionFailed",
			"The precondition in one or more of the request fields evaluated to false.")
	}
	c.changed++
	if r.Method == "DELETE" {
		if t.Enabled || t.Status != "Deployed" {
			return refusal(409, "ResourceNotDisabled", "The specified CloudFront resource hasn't been disabled yet.")
		}
		delete(c.tenants, t.Domains[0].Domain)
		return 204, "", 0
	}
	if t.Customizations != nil && in.Certificate == "" {
		return refusal(400, "InvalidArgument", "The update would take the certificate from the tenant.")
	}
	t.Enabled, t.Status = in.Enabled, "InProgress"
	if in.Certificate != "" {
		t.Customizations = &customized{in.Certificate}
	}
	t.DistributionID, t.ConnectionGroupID = in.Distribution, in.Group
	if in.TokenHost != "" {
		t.asked = "pending-validation"
	}
	t.etag++
	return shown(200, t)
}

// of is a tenant by its id, name or domain.
func (c *cloud) of(identifier string) *held {
	for domain, t := range c.tenants {
		if identifier != "" && (domain == identifier || t.ID == identifier || t.Name == identifier) {
			return t
		}
	}
	return nil
}

// create makes a tenant.
func (c *cloud) create(in asks, shown func(int, *held) (int, string, int)) (status int, answer string, etag int) {
	switch {
	case c.refuses == "AccessDenied":
		return refusal(403, c.refuses, "Access denied.")
	case c.refuses != "":
		return refusal(409, c.refuses, "It is so.")
	case c.of(in.Name) != nil:
		return refusal(409, "EntityAlreadyExists", "The entity already exists. You must provide a unique entity.")
	case in.TokenHost == "cloudfront" && !c.leads:
		return refusal(400, "InvalidArgument", "The provided Domain Name is not valid. Could not verify Domain Name "+
			"ownership. It may not be pointing to a valid CloudFront resource.")
	}
	c.changed++
	t := &held{ID: "dt_2wjDZi3hD1ivOXf6rpZJOSNE1AB", Name: in.Name, DistributionID: in.Distribution,
		ConnectionGroupID: in.Group, Enabled: in.Enabled, Status: "InProgress", asked: "pending-validation", etag: 1,
		Domains: []domainResult{{in.Domains[0], "inactive"}}}
	c.tenants[in.Domains[0]] = t
	return shown(201, t)
}

// list is all tenants of a distribution.
func (c *cloud) list(in asks) (int, string, int) {
	text := "<ListDistributionTenantsResult><DistributionTenantList>"
	for _, domain := range slices.Sorted(maps.Keys(c.tenants)) {
		if t := c.tenants[domain]; t.DistributionID == in.Of {
			one, _ := xml.Marshal(t)
			text += strings.ReplaceAll(string(one), "DistributionTenant>", "DistributionTenantSummary>")
		}
	}
	return 200, text + "</DistributionTenantList></ListDistributionTenantsResult>", 0
}

// refusal is an error as CloudFront answers it.
func refusal(status int, code, message string) (int, string, int) {
	return status, `<?xml version="1.0"?><ErrorResponse xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/"><Error>` +
		"<Type>Sender</Type><Code>" + code + "</Code><Message>" + message + "</Message></Error>" +
		"<RequestId>b3d3f0cc-c39f-4911-9d24-76da090fcbb2</RequestId></ErrorResponse>", 0
}
