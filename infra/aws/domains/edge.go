package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudfront"
	"github.com/aws/aws-sdk-go-v2/service/cloudfront/types"

	"eshop/shared/base/id"
	"eshop/shared/ports/awsconf"
)

// edge is the distribution of an installation, whose tenants are shops' own domains, and how CloudFront is asked.
type edge struct {
	client              *cloudfront.Client
	distribution, group string // their ids
	endpoint            string // where DNS entries lead to: the routing endpoint of the connection group
	environment         string
}

// tenant is one as CloudFront has it.
type tenant = types.DistributionTenant

// shopOf is the shop whose tenant it is, "" where it is none of a shop's, as the installation's own. A tenant's name
// has both: <shop>.<domain>. Unlike its tags, lists have it, and nobody can change it.
func shopOf(name, domain string) string {
	if shop, is := strings.CutSuffix(name, "."+domain); is && id.Valid(shop) {
		return shop
	}
	return ""
}

// find is the tenant that has the domain, nil if there is none. It is an error if it is not a shop's of this edge.
func (e edge) find(ctx context.Context, domain string) (*tenant, error) {
	got, err := e.client.GetDistributionTenantByDomain(ctx,
		&cloudfront.GetDistributionTenantByDomainInput{Domain: &domain})
	if awsconf.Code(err) == "EntityNotFound" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := got.DistributionTenant
	if aws.ToString(t.DistributionId) != e.distribution || shopOf(aws.ToString(t.Name), domain) == "" {
		return nil, fmt.Errorf("%s belongs to the tenant %s (%s) of the distribution %s, which this command has not "+
			"made: remove it from there first", domain, aws.ToString(t.Id), aws.ToString(t.Name),
			aws.ToString(t.DistributionId))
	}
	return t, nil
}

// make makes the tenant, which serves nobody until it has its certificate.
func (e edge) make(ctx context.Context, shop, domain string) error {
	_, err := e.client.CreateDistributionTenant(ctx, &cloudfront.CreateDistributionTenantInput{
		Name: aws.String(shop + "." + domain), DistributionId: &e.distribution, ConnectionGroupId: &e.group,
		Domains: []types.DomainItem{{Domain: &domain}}, Enabled: aws.Bool(true),
		ManagedCertificateRequest: ofCloudFront(domain),
		Tags: &types.Tags{Items: []types.Tag{{Key: aws.String("environment"), Value: &e.environment},
			{Key: aws.String("shop"), Value: &shop}}},
	})
	return err
}

// ofCloudFront asks for a certificate whose validation CloudFront answers itself, since the domain leads to it.
func ofCloudFront(domain string) *types.ManagedCertificateRequest {
	return &types.ManagedCertificateRequest{PrimaryDomainName: &domain,
		ValidationTokenHost: types.ValidationTokenHostCloudFront}
}

// change updates a tenant as it is now, and leaves all else of it.
func (e edge) change(ctx context.Context, id *string, with func(*cloudfront.UpdateDistributionTenantInput)) error {
	got, err := e.client.GetDistributionTenant(ctx, &cloudfront.GetDistributionTenantInput{Identifier: id})
	if err != nil {
		return err
	}
	t := got.DistributionTenant
	in := &cloudfront.UpdateDistributionTenantInput{Id: t.Id, IfMatch: got.ETag, DistributionId: t.DistributionId,
		ConnectionGroupId: t.ConnectionGroupId, Customizations: t.Customizations, Parameters: t.Parameters,
		Enabled: t.Enabled}
	for _, d := range t.Domains {
		in.Domains = append(in.Domains, types.DomainItem{Domain: d.Domain})
	}
	with(in)
	_, err = e.client.UpdateDistributionTenant(ctx, in)
	return err
}

// delete deletes a tenant that is disabled.
func (e edge) delete(ctx context.Context, id *string) error {
	got, err := e.client.GetDistributionTenant(ctx, &cloudfront.GetDistributionTenantInput{Identifier: id})
	if err != nil {
		return err
	}
	_, err = e.client.DeleteDistributionTenant(ctx,
		&cloudfront.DeleteDistributionTenantInput{Id: id, IfMatch: got.ETag})
	return err
}

// certificate is what CloudFront knows of the certificate that it was asked for, with no status if it was asked for
// none.
func (e edge) certificate(ctx context.Context, id *string) (types.ManagedCertificateDetails, error) {
	got, err := e.client.GetManagedCertificateDetails(ctx,
		&cloudfront.GetManagedCertificateDetailsInput{Identifier: id})
	if err != nil || got.ManagedCertificateDetails == nil {
		if awsconf.Code(err) == "EntityNotFound" {
			err = nil
		}
		return types.ManagedCertificateDetails{}, err
	}
	return *got.ManagedCertificateDetails, nil
}

// leads says whether the domain's DNS entry leads to the edge, as CloudFront sees it.
func (e edge) leads(ctx context.Context, id *string, domain string) (types.DnsConfigurationStatus, error) {
	got, err := e.client.VerifyDnsConfiguration(ctx,
		&cloudfront.VerifyDnsConfigurationInput{Identifier: id, Domain: &domain})
	if err != nil {
		return "", err
	}
	for _, d := range got.DnsConfigurationList {
		if aws.ToString(d.Domain) == domain {
			return d.Status, nil
		}
	}
	return types.DnsConfigurationStatusUnknown, nil
}

// unproven says that a tenant was refused because CloudFront does not see the domain lead to it. It has no code of its
// own: "Could not verify Domain Name ownership. It may not be pointing to a valid CloudFront resource."
func unproven(err error) bool {
	return awsconf.Code(err) == "InvalidArgument" && strings.Contains(err.Error(), "ownership")
}

// inWords is an error of AWS's, with what to do about it.
func inWords(err error) error {
	if err == nil {
		return nil
	}
	if does := todo[awsconf.Code(err)]; does != "" {
		return fmt.Errorf("%s\n  %w", does, err)
	}
	return err
}

var todo = map[string]string{
	"CNAMEAlreadyExists": "another distribution or tenant of CloudFront holds this domain, perhaps in another " +
		"account, as that of an old shop: have it taken from there, then call this again",
	"EntityLimitExceeded": "the account has as many tenants, or certificates in us-east-1, as AWS lets it have: ask " +
		"AWS Support for more, and remove domains of shops that are gone, and certificates that nothing uses",
	"AccessDenied": "your rights are not enough: this wants cloudfront:CreateDistributionTenant, " +
		"GetDistributionTenant, GetDistributionTenantByDomain, ListDistributionTenants, UpdateDistributionTenant, " +
		"DeleteDistributionTenant, GetManagedCertificateDetails, VerifyDnsConfiguration and TagResource, and " +
		"acm:RequestCertificate and DescribeCertificate",
}
