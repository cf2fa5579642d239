package main

import (
	"context"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudfront"
	"github.com/aws/aws-sdk-go-v2/service/cloudfront/types"

	"eshop/shared/ports/awsconf"
)

// walk is a call of the command.
type walk struct {
	edge     edge
	platform platform
	out      io.Writer
	look     func(context.Context) error // waits until it is time to look again
	again    bool                        // a certificate that had failed was asked for once more
}

// looks are how often a call looks what AWS has done: for a quarter of an hour. A certificate takes some five minutes.
const looks = 90

// waiting is what a step waits for; zero: everything is done.
type waiting struct {
	what   string
	people bool // it is up to people, so a call ends with it
}

// What AWS is waited for.
var (
	certifying = waiting{what: "the certificate"}
	serving    = waiting{what: "CloudFront to serve the domain"}
	ending     = waiting{what: "CloudFront to end the domain"}
)

// untilDone takes step after step until everything is done, or it is up to people, and tells what it waits for.
func (w *walk) untilDone(ctx context.Context, step func(context.Context) (waiting, error)) error {
	told := ""
	for range looks {
		now, err := step(ctx)
		if c := awsconf.Code(err); c == "PreconditionFailed" || c == "InvalidIfMatchVersion" {
			now, err = waiting{what: "CloudFront: the tenant was changed meanwhile"}, nil
		}
		if err != nil || now == (waiting{}) {
			return inWords(err)
		}
		if now.what != told {
			told = now.what
			fmt.Fprintln(w.out, "waits for", told)
		}
		if now.people {
			return nil
		}
		if err := w.look(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintln(w.out, "AWS takes longer than usual. Call this again later: it goes on where it was.")
	return nil
}

// serve takes the next step to where the domain serves the shop. The order is AWS's: CloudFront makes no tenant of a
// domain that does not lead to it, and a certificate that was issued is used once the tenant is told so.
func (w *walk) serve(ctx context.Context, shop, domain string) (waiting, error) {
	tenant, err := w.edge.find(ctx, domain)
	if err != nil {
		return waiting{}, err
	}
	if tenant == nil {
		switch err = w.edge.make(ctx, shop, domain); {
		case unproven(err):
			return waiting{w.entry(domain), true}, nil
		case awsconf.Code(err) == "EntityAlreadyExists": // it was made a moment ago, and is not found by its domain yet
			err = nil
		}
		return certifying, err
	}
	if has := shopOf(aws.ToString(tenant.Name), domain); has != shop {
		return waiting{}, fmt.Errorf("%s is the domain of the shop %s at the edge: remove it first", domain, has)
	}
	if c := tenant.Customizations; c == nil || c.Certificate == nil || aws.ToString(c.Certificate.Arn) == "" {
		return w.certify(ctx, tenant, domain)
	}
	switch {
	case !aws.ToBool(tenant.Enabled): // a removal was interrupted
		return serving, w.edge.change(ctx, tenant.Id,
			func(in *cloudfront.UpdateDistributionTenantInput) { in.Enabled = aws.Bool(true) })
	case aws.ToString(tenant.Status) != deployed:
		return serving, nil
	case tenant.Domains[0].Status != types.DomainStatusActive:
		return w.unlessItLeads(ctx, tenant, domain, serving) // CloudFront looks at the entry when it is asked to
	}
	s, err := w.platform.ready(ctx, shop, domain)
	if err == nil {
		fmt.Fprintf(w.out, "%s serves the shop %s, whose addresses begin with %s\n", domain, shop, s.WebsiteURL)
	}
	return waiting{}, err
}

// deployed is the status of a tenant that all of CloudFront knows as it is.
const deployed = "Deployed"

// certify takes the next step to where the tenant has its certificate.
func (w *walk) certify(ctx context.Context, tenant *tenant, domain string) (waiting, error) {
	c, err := w.edge.certificate(ctx, tenant.Id)
	if err != nil {
		return waiting{}, err
	}
	switch c.CertificateStatus {
	case types.ManagedCertificateStatusIssued:
		return serving, w.edge.change(ctx, tenant.Id,
			func(in *cloudfront.UpdateDistributionTenantInput) {
				if in.Customizations == nil {
					in.Customizations = &types.Customizations{}
				}
				in.Customizations.Certificate = &types.Certificate{Arn: c.CertificateArn}
				in.Enabled = aws.Bool(true)
			})
	case types.ManagedCertificateStatusPendingValidation:
		return w.unlessItLeads(ctx, tenant, domain, certifying)
	}
	if w.again {
		return waiting{fmt.Sprintf("whoever has the domain: its certificate is %q. Where %s or a name above it has "+
			"CAA entries, one has to be for amazon.com. Call this again then.", c.CertificateStatus, domain), true}, nil
	}
	w.again = true
	return waiting{what: "the certificate, which is asked for once more"}, w.edge.change(ctx, tenant.Id,
		func(in *cloudfront.UpdateDistributionTenantInput) {
			in.ManagedCertificateRequest = ofCloudFront(domain)
		})
}

// unlessItLeads waits for the DNS entry where CloudFront sees that the domain does not lead to it, else for what is
// otherwise.
func (w *walk) unlessItLeads(ctx context.Context, t *tenant, domain string, otherwise waiting) (waiting, error) {
	dns, err := w.edge.leads(ctx, t.Id, domain)
	if dns == types.DnsConfigurationStatusInvalid {
		return waiting{w.entry(domain), true}, nil
	}
	return otherwise, err
}

// entry is the DNS entry that a domain waits for.
func (w *walk) entry(domain string) string {
	return fmt.Sprintf(`an entry of DNS, which whoever has the domain makes in place of any other of the name:
  %[1]s. CNAME %[2]s.
where no CNAME can be, as at the top of a zone, ALIAS or ANAME to the same, and beside it:
  _cf-challenge.%[1]s. TXT "%[2]s"
Call this again when name servers tell of it.`, domain, w.edge.endpoint)
}

// remove takes the next step to where the edge has no such domain. The shop's addresses leave it first.
func (w *walk) remove(ctx context.Context, domain string) (waiting, error) {
	tenant, err := w.edge.find(ctx, domain)
	if err != nil {
		return waiting{}, err
	}
	if tenant == nil {
		fmt.Fprintf(w.out, "%s is not at the edge\n", domain)
		return waiting{}, nil
	}
	if aws.ToBool(tenant.Enabled) {
		if err := w.platform.unready(ctx, domain); err != nil {
			return waiting{}, err
		}
		return ending, w.edge.change(ctx, tenant.Id,
			func(in *cloudfront.UpdateDistributionTenantInput) { in.Enabled = aws.Bool(false) })
	}
	c, err := w.edge.certificate(ctx, tenant.Id)
	if err != nil || aws.ToString(tenant.Status) != deployed {
		return ending, err
	}
	if err = w.edge.delete(ctx, tenant.Id); awsconf.Code(err) == "ResourceNotDisabled" {
		return ending, nil
	}
	if err == nil && c.CertificateArn != nil {
		fmt.Fprintf(w.out, "its certificate is left, and counts among those of the account:\n"+
			"  aws acm delete-certificate --region us-east-1 --certificate-arn %s\n", *c.CertificateArn)
	}
	return waiting{what: "CloudFront to forget the domain"}, err
}

// show tells how it is about a domain, and changes nothing.
func (w *walk) show(ctx context.Context, domain string) error {
	tenant, err := w.edge.find(ctx, domain)
	if err != nil || tenant == nil {
		if err == nil {
			fmt.Fprintf(w.out, "%s is not at the edge: SHOP=<id> makes it\n", domain)
		}
		return inWords(err)
	}
	c, err := w.edge.certificate(ctx, tenant.Id)
	if err != nil {
		return inWords(err)
	}
	dns, err := w.edge.leads(ctx, tenant.Id, domain)
	if err != nil {
		return inWords(err)
	}
	w.tell(aws.ToString(tenant.Name), tenant.Domains, tenant.Enabled, tenant.Status)
	fmt.Fprintf(w.out, "  certificate  %s\n  DNS          %s\n", c.CertificateStatus, dns)
	if dns != types.DnsConfigurationStatusValid {
		fmt.Fprintln(w.out, "waits for", w.entry(domain))
	}
	return nil
}

// list tells of all domains of shops.
func (w *walk) list(ctx context.Context) error {
	pages := cloudfront.NewListDistributionTenantsPaginator(w.edge.client, &cloudfront.ListDistributionTenantsInput{
		AssociationFilter: &types.DistributionTenantAssociationFilter{DistributionId: &w.edge.distribution}})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return inWords(err)
		}
		for _, t := range page.DistributionTenantList {
			w.tell(aws.ToString(t.Name), t.Domains, t.Enabled, t.Status)
		}
	}
	return nil
}

// tell says in a line how it is about a shop's tenant, and nothing of any other.
func (w *walk) tell(name string, domains []types.DomainResult, enabled *bool, status *string) {
	for _, d := range domains {
		if shop := shopOf(name, aws.ToString(d.Domain)); shop != "" {
			is := string(d.Status)
			if !aws.ToBool(enabled) {
				is = "ended"
			}
			fmt.Fprintf(w.out, "%s  %s  %s, %s\n", shop, *d.Domain, is, aws.ToString(status))
		}
	}
}
