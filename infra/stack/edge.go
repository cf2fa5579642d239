package main

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudfront"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudfrontorigins"
	"github.com/aws/aws-cdk-go/awscdk/v2/awswafv2"
	"github.com/aws/jsii-runtime-go"

	"eshop/shared/api"
	"eshop/shared/base/slug"
	"eshop/shared/host/lambda"
	"eshop/shared/images"
)

// edgeRegion is where CloudFront's certificates and firewalls are made, wherever the rest is.
const edgeRegion = "us-east-1"

// maxPerAddress is how many requests of one address in five minutes are too many: 200 a second. That is a twenty-fifth
// of what the gateway lets in, and as much as an add-on on a hundred shops may send from one server by the default
// limits.
const maxPerAddress = 60_000

// cached are the addresses whose answers are the same for everybody. They may be kept at the edge for as long as they
// say. Any other answer may be somebody's own.
var cached = []string{"/static/*", "/admin/static/*", "/frontend/*", "/images/*", "/docs", "/docs/*", "/openapi.json"}

// tokensOnly are the addresses of programs, which send a token. Plain http to them is refused: if it were led on to
// https, the program would work, and send its token in the clear each time.
var tokensOnly = []string{"/api-engine", "/api-engine/*", "/operator", "/operator/*", "/developer", "/developer/*",
	"/" + slug.QuotesPrefix + "*"}

// keptSecure is for how long browsers ask a host by https alone: as shared/api's StrictTransport says.
const keptSecure = 365 * 24 * time.Hour

// Edge is the stack of what stands in front of the gateway where an installation has a domain: CloudFront with a
// firewall.
type Edge struct {
	Stack        awscdk.Stack
	Distribution awscloudfront.Distribution
}

// NewEdge makes the stack. It passes requests on to the gateway's own address, and the host that they were sent to, by
// which a shop is found, in a header. With them goes the edge's secret: functions believe what the edge says of a
// request's host and visitor only if the secret is there.
//
// The distribution serves no name itself: names are its tenants'. The installation's own is in this stack and has the
// two wildcards of its domain. Merchants' domains are further tenants, which are data and in no stack.
func NewEdge(app awscdk.App, settings Settings) *Edge {
	stack := newStack(app, settings, "-Edge", "The e-shop platform's edge: CloudFront and its firewall",
		awscdk.StackProps{Env: &awscdk.Environment{Region: jsii.String(edgeRegion)}})
	edge := &Edge{Stack: stack, Distribution: distribution(stack, settings)}
	group := awscloudfront.NewCfnConnectionGroup(stack, jsii.String("Connections"),
		&awscloudfront.CfnConnectionGroupProps{Name: stack.StackName(), Enabled: true, Ipv6Enabled: true})
	awscloudfront.NewCfnDistributionTenant(stack, jsii.String("Own"), &awscloudfront.CfnDistributionTenantProps{
		Name: stack.StackName(), DistributionId: edge.Distribution.DistributionId(), ConnectionGroupId: group.AttrId(),
		Domains: jsii.Strings(settings.wildcards()...), Enabled: true,
	})
	tell := func(id string, value *string, what string) {
		awscdk.NewCfnOutput(stack, &id, &awscdk.CfnOutputProps{Value: value, Description: &what})
	}
	tell("Edge", group.AttrRoutingEndpoint(), "What the DNS entries *."+settings.Domain+" and *.admin."+settings.Domain+
		", and those of merchants' own domains, are to lead to")
	tell("DistributionId", edge.Distribution.DistributionId(), "Whose tenants merchants' own domains are")
	tell("ConnectionGroupId", group.AttrId(), "By which they are reached")
	return edge
}

// wildcards are the names of all shops below the domain, and of their admins. A wildcard is for one label.
func (s Settings) wildcards() []string { return []string{"*." + s.Domain, "*.admin." + s.Domain} }

// behaviours are what the edge does with requests for an address: byDefault, and those of the paths that are named.
func behaviours(stack awscdk.Stack) (byDefault *awscloudfront.BehaviorOptions,
	named map[string]*awscloudfront.BehaviorOptions,
) {
	origin := gatewayOrigin(stack)
	// What CloudFront or the gateway answers itself, too: functions set these headers on their own answers.
	headers := awscloudfront.NewResponseHeadersPolicy(stack, jsii.String("Headers"),
		&awscloudfront.ResponseHeadersPolicyProps{
			SecurityHeadersBehavior: &awscloudfront.ResponseSecurityHeadersBehavior{
				ContentTypeOptions: &awscloudfront.ResponseHeadersContentTypeOptions{Override: jsii.Bool(true)},
				StrictTransportSecurity: &awscloudfront.ResponseHeadersStrictTransportSecurity{
					AccessControlMaxAge: duration(keptSecure), Override: jsii.Bool(true)},
			}})
	behaviour := func(methods awscloudfront.AllowedMethods, cache awscloudfront.ICachePolicy,
		pass awscloudfront.IOriginRequestPolicy, plain awscloudfront.ViewerProtocolPolicy,
		first awscloudfront.Function,
	) *awscloudfront.BehaviorOptions {
		return &awscloudfront.BehaviorOptions{
			Origin: origin, AllowedMethods: methods, CachePolicy: cache, OriginRequestPolicy: pass,
			ResponseHeadersPolicy: headers,
			Compress:              jsii.Bool(true),
			ViewerProtocolPolicy:  plain,
			FunctionAssociations: &[]*awscloudfront.FunctionAssociation{{
				EventType: awscloudfront.FunctionEventType_VIEWER_REQUEST, Function: first}},
		}
	}
	// No cookie, and no query but the width of an image, is passed on to these, so no answer of theirs can be
	// somebody's own.
	cachedBehaviour := behaviour(awscloudfront.AllowedMethods_ALLOW_GET_HEAD_OPTIONS(), cachePolicy(stack), nil,
		awscloudfront.ViewerProtocolPolicy_REDIRECT_TO_HTTPS, firstAtEdge(stack, "Widths",
			"Says the host, and leaves no query in the cache's key but a width that images have", widthsOnly()))
	named = map[string]*awscloudfront.BehaviorOptions{}
	for _, path := range cached {
		named[path] = cachedBehaviour
	}
	says := firstAtEdge(stack, "Says", "Says the host and the visitor's address", "")
	uncached := func(plain awscloudfront.ViewerProtocolPolicy) *awscloudfront.BehaviorOptions {
		return behaviour(awscloudfront.AllowedMethods_ALLOW_ALL(), awscloudfront.CachePolicy_CACHING_DISABLED(),
			awscloudfront.OriginRequestPolicy_ALL_VIEWER_EXCEPT_HOST_HEADER(), plain, says)
	}
	ofPrograms := uncached(awscloudfront.ViewerProtocolPolicy_HTTPS_ONLY)
	for _, path := range tokensOnly {
		named[path] = ofPrograms
	}
	return uncached(awscloudfront.ViewerProtocolPolicy_REDIRECT_TO_HTTPS), named
}

// distribution is CloudFront's, for tenants only. CDK's has no word for that, and says of IPv6 what is the connection
// group's to say: CloudFront would refuse it.
func distribution(stack awscdk.Stack, settings Settings) awscloudfront.Distribution {
	byDefault, named := behaviours(stack)
	proven := awscertificatemanager.NewCertificate(stack, jsii.String("Certificate"),
		&awscertificatemanager.CertificateProps{
			DomainName: &settings.wildcards()[0], SubjectAlternativeNames: jsii.Strings(settings.wildcards()[1:]...),
			Validation: awscertificatemanager.CertificateValidation_FromDns(nil),
		})
	watchEdge(stack, settings, proven.MetricDaysToExpiry(nil))
	made := awscloudfront.NewDistribution(stack, jsii.String("Distribution"), &awscloudfront.DistributionProps{
		Comment:                jsii.String("The e-shop platform, " + settings.Environment),
		Certificate:            proven,
		MinimumProtocolVersion: awscloudfront.SecurityPolicyProtocol_TLS_V1_2_2021,
		HttpVersion:            awscloudfront.HttpVersion_HTTP2_AND_3,
		WebAclId:               firewall(stack, settings),
		DefaultBehavior:        byDefault,
		AdditionalBehaviors:    &named,
		ErrorResponses:         errorsUncached(),
	})
	resource := made.Node().DefaultChild().(awscloudfront.CfnDistribution)
	resource.AddPropertyOverride(jsii.String("DistributionConfig.ConnectionMode"), "tenant-only")
	resource.AddPropertyDeletionOverride(jsii.String("DistributionConfig.IPV6Enabled"))
	awscdk.Annotations_Of(made).AcknowledgeWarning(jsii.String("@aws-cdk/aws-cloudfront:emptyDomainNames"),
		jsii.String("Names are its tenants'."))
	allow(made, "AwsSolutions-CFR1", "Shoppers travel, and add-ons call from wherever they are hosted.")
	allow(made, "AwsSolutions-CFR3",
		"The door writes a line for each request that reaches it, and the firewall's metrics tell of the others.")
	return made
}

// gatewayOrigin is API Gateway's own address of the API, asked with the edge's secret. It is told when the stack is
// deployed, since the gateway may be in another region.
func gatewayOrigin(stack awscdk.Stack) awscloudfront.IOrigin {
	secret := awscdk.NewCfnParameter(stack, jsii.String("EdgeSecret"), &awscdk.CfnParameterProps{
		Description:    jsii.String("By which functions know requests that came through the edge"),
		AllowedPattern: jsii.String("[A-Za-z0-9]{32,128}"), NoEcho: jsii.Bool(true),
	})
	gateway := awscdk.NewCfnParameter(stack, jsii.String("Origin"), &awscdk.CfnParameterProps{
		Description:    jsii.String("The host of API Gateway's own address, which the stack of the services says"),
		AllowedPattern: jsii.String(`[a-z0-9]+\.execute-api\.[a-z0-9-]+\.amazonaws\.com(\.cn)?`),
	})
	return awscloudfrontorigins.NewHttpOrigin(gateway.ValueAsString(), &awscloudfrontorigins.HttpOriginProps{
		// because the edge's secret travels in a header
		ProtocolPolicy:     awscloudfront.OriginProtocolPolicy_HTTPS_ONLY,
		OriginSslProtocols: &[]awscloudfront.OriginSslPolicy{awscloudfront.OriginSslPolicy_TLS_V1_2},
		CustomHeaders:      &map[string]*string{lambda.EdgeHeader: secret.ValueAsString()},
	})
}

// firstAtEdge is a program that each request goes through before all else. It says where the request was sent to and
// where it came from, over whatever the visitor says by these names.
func firstAtEdge(stack awscdk.Stack, id, comment, more string) awscloudfront.Function {
	return awscloudfront.NewFunction(stack, &id, &awscloudfront.FunctionProps{
		Comment: &comment, Runtime: awscloudfront.FunctionRuntime_JS_2_0(),
		Code: awscloudfront.FunctionCode_FromInline(jsii.String(`function handler(event) {
	var request = event.request;
	request.headers["` + strings.ToLower(lambda.HostHeader) + `"] = {value: request.headers.host.value};
	request.headers["` + strings.ToLower(lambda.AddressHeader) + `"] = {value: event.viewer.ip};
` + more + `	return request;
}
`)),
	})
}

// widthsOnly takes each query from a request but a width that images have. Any other width is the
// picture itself, and would be one more copy of it in the cache and one more call of the platform.
func widthsOnly() string {
	var widths []string
	for _, w := range images.Widths {
		widths = append(widths, strconv.Itoa(w))
	}
	return `	var w = request.querystring.w;
	var is = w && !w.multiValue && ["` + strings.Join(widths, `", "`) + `"].indexOf(w.value) >= 0;
	request.querystring = is ? {w: {value: w.value}} : {};
`
}

// cachePolicy keeps an answer for as long as its Cache-Control says, apart for each host.
func cachePolicy(stack awscdk.Stack) awscloudfront.ICachePolicy {
	return awscloudfront.NewCachePolicy(stack, jsii.String("Kept"), &awscloudfront.CachePolicyProps{
		HeaderBehavior:             awscloudfront.CacheHeaderBehavior_AllowList(jsii.String(lambda.HostHeader)),
		QueryStringBehavior:        awscloudfront.CacheQueryStringBehavior_AllowList(jsii.String("w")),
		CookieBehavior:             awscloudfront.CacheCookieBehavior_None(),
		EnableAcceptEncodingGzip:   jsii.Bool(true),
		EnableAcceptEncodingBrotli: jsii.Bool(true),
		MinTtl:                     duration(0), DefaultTtl: duration(0), MaxTtl: duration(365 * 24 * time.Hour),
	})
}

// errorsUncached keeps errors out of the cache. By itself CloudFront would keep them for ten seconds, and show the next
// caller what one was refused.
func errorsUncached() *[]*awscloudfront.ErrorResponse {
	var all []*awscloudfront.ErrorResponse
	for _, status := range []int{
		http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusRequestURITooLong, http.StatusRequestedRangeNotSatisfiable, http.StatusInternalServerError,
		http.StatusNotImplemented, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		all = append(all, &awscloudfront.ErrorResponse{HttpStatus: jsii.Number(status), Ttl: duration(0)})
	}
	return &all
}

// firewall turns away addresses that AWS knows to be bad, inputs that serve nothing but attacks, and floods: an address
// that sends too much gets 429 with Retry-After. AWS's other rules are not for an API that takes HTML and scripts from
// merchants.
func firewall(stack awscdk.Stack, settings Settings) *string {
	visible := func(name string) *awswafv2.CfnWebACL_VisibilityConfigProperty {
		return &awswafv2.CfnWebACL_VisibilityConfigProperty{
			MetricName: &name, CloudWatchMetricsEnabled: jsii.Bool(true), SampledRequestsEnabled: jsii.Bool(true),
		}
	}
	managed := func(priority int, name string) *awswafv2.CfnWebACL_RuleProperty {
		return &awswafv2.CfnWebACL_RuleProperty{
			Name: &name, Priority: jsii.Number(priority), VisibilityConfig: visible(name),
			// None lets the rules of the group act as AWS wrote them.
			OverrideAction: &awswafv2.CfnWebACL_OverrideActionProperty{None: map[string]any{}},
			Statement: &awswafv2.CfnWebACL_StatementProperty{
				ManagedRuleGroupStatement: &awswafv2.CfnWebACL_ManagedRuleGroupStatementProperty{
					VendorName: jsii.String("AWS"), Name: jsii.String("AWSManagedRules" + name),
				}},
		}
	}
	wait := &awswafv2.CfnWebACL_CustomResponseProperty{
		ResponseCode: jsii.Number(http.StatusTooManyRequests), CustomResponseBodyKey: jsii.String("flood"),
		ResponseHeaders: &[]*awswafv2.CfnWebACL_CustomHTTPHeaderProperty{
			{Name: jsii.String("Retry-After"), Value: jsii.String("300")},
			{Name: jsii.String("X-Content-Type-Options"), Value: jsii.String("nosniff")},
			{Name: jsii.String("Strict-Transport-Security"), Value: jsii.String(api.StrictTransport)}},
	}
	acl := awswafv2.NewCfnWebACL(stack, jsii.String("Firewall"), &awswafv2.CfnWebACLProps{
		// CloudWatch knows it by its name, and two environments of an account may have one each.
		Name: jsii.String("Eshop-" + settings.Environment), Scope: jsii.String("CLOUDFRONT"),
		VisibilityConfig: visible("Eshop-" + settings.Environment),
		DefaultAction:    &awswafv2.CfnWebACL_DefaultActionProperty{Allow: map[string]any{}},
		CustomResponseBodies: &map[string]any{"flood": &awswafv2.CfnWebACL_CustomResponseBodyProperty{
			ContentType: jsii.String("APPLICATION_JSON"), Content: jsii.String(`{"type":"about:blank","title":"Too Many Requests",` +
				`"status":429,"code":"rate_limited","detail":"Your address made more than ` +
				strconv.Itoa(maxPerAddress) + ` requests in five minutes: slow down."}`),
		}},
		// In the order of their priority: floods first.
		Rules: &[]*awswafv2.CfnWebACL_RuleProperty{
			{
				Name: jsii.String("Flood"), Priority: jsii.Number(0), VisibilityConfig: visible("Flood"),
				Action: &awswafv2.CfnWebACL_RuleActionProperty{
					Block: &awswafv2.CfnWebACL_BlockActionProperty{CustomResponse: wait}},
				Statement: &awswafv2.CfnWebACL_StatementProperty{
					RateBasedStatement: &awswafv2.CfnWebACL_RateBasedStatementProperty{
						Limit: jsii.Number(maxPerAddress), AggregateKeyType: jsii.String("IP"),
					}},
			},
			managed(1, "AmazonIpReputationList"),
			managed(2, "KnownBadInputsRuleSet"),
		},
	})
	return acl.AttrArn()
}
