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
	"github.com/aws/constructs-go/constructs/v10"
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

// EdgeProps are what NewEdge is told.
type EdgeProps struct {
	awscdk.StackProps // with the region edgeRegion
	Settings          Settings
}

// NewEdge makes the stack. It passes requests on with the host that they were sent to, by which a shop is found, to
// origin.<domain>, which leads to the gateway. With them goes the edge's secret: functions believe what the edge says
// of a visitor's address only if the secret is there.
func NewEdge(scope constructs.Construct, id string, props *EdgeProps) *Edge {
	stack, s := awscdk.NewStack(scope, &id, &props.StackProps), props.Settings
	secret := awscdk.NewCfnParameter(stack, jsii.String("EdgeSecret"), &awscdk.CfnParameterProps{
		Description:    jsii.String("By which functions know requests that came through the edge"),
		AllowedPattern: jsii.String("[A-Za-z0-9]{32,128}"), NoEcho: jsii.Bool(true),
	})
	// HTTPS alone, because the edge's secret travels in a header.
	origin := awscloudfrontorigins.NewHttpOrigin(jsii.String("origin."+s.Domain), &awscloudfrontorigins.HttpOriginProps{
		ProtocolPolicy:     awscloudfront.OriginProtocolPolicy_HTTPS_ONLY,
		OriginSslProtocols: &[]awscloudfront.OriginSslPolicy{awscloudfront.OriginSslPolicy_TLS_V1_2},
		CustomHeaders:      &map[string]*string{lambda.EdgeHeader: secret.ValueAsString()},
	})
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
	) *awscloudfront.BehaviorOptions {
		return &awscloudfront.BehaviorOptions{
			Origin: origin, AllowedMethods: methods, CachePolicy: cache, OriginRequestPolicy: pass,
			ResponseHeadersPolicy: headers,
			Compress:              jsii.Bool(true),
			ViewerProtocolPolicy:  plain,
		}
	}
	// No cookie, and no query but the width of an image, is passed on to these, so no answer of theirs can be
	// somebody's own.
	cachedBehaviour := behaviour(awscloudfront.AllowedMethods_ALLOW_GET_HEAD_OPTIONS(), cachePolicy(stack), nil,
		awscloudfront.ViewerProtocolPolicy_REDIRECT_TO_HTTPS)
	cachedBehaviour.FunctionAssociations = &[]*awscloudfront.FunctionAssociation{{
		EventType: awscloudfront.FunctionEventType_VIEWER_REQUEST,
		Function: awscloudfront.NewFunction(stack, jsii.String("Widths"), &awscloudfront.FunctionProps{
			Comment: jsii.String("Leaves no query in the cache's key but a width that images have"),
			Runtime: awscloudfront.FunctionRuntime_JS_2_0(),
			Code:    awscloudfront.FunctionCode_FromInline(jsii.String(widthsOnly())),
		})}}
	behaviours := map[string]*awscloudfront.BehaviorOptions{}
	for _, path := range cached {
		behaviours[path] = cachedBehaviour
	}
	// All headers of the viewer's, the host and the token among them, and this one of CloudFront's.
	everything := awscloudfront.NewOriginRequestPolicy(stack, jsii.String("Everything"),
		&awscloudfront.OriginRequestPolicyProps{
			HeaderBehavior:      awscloudfront.OriginRequestHeaderBehavior_All(jsii.String(lambda.ViewerHeader)),
			CookieBehavior:      awscloudfront.OriginRequestCookieBehavior_All(),
			QueryStringBehavior: awscloudfront.OriginRequestQueryStringBehavior_All(),
		})
	uncached := func(plain awscloudfront.ViewerProtocolPolicy) *awscloudfront.BehaviorOptions {
		return behaviour(awscloudfront.AllowedMethods_ALLOW_ALL(), awscloudfront.CachePolicy_CACHING_DISABLED(),
			everything, plain)
	}
	ofPrograms := uncached(awscloudfront.ViewerProtocolPolicy_HTTPS_ONLY)
	for _, path := range tokensOnly {
		behaviours[path] = ofPrograms
	}
	e := &Edge{Stack: stack}
	e.Distribution = awscloudfront.NewDistribution(stack, jsii.String("Distribution"), &awscloudfront.DistributionProps{
		Comment:                jsii.String("The e-shop platform, " + s.Environment),
		DomainNames:            jsii.Strings(append([]string{"*." + s.Domain}, s.AdminNames()...)...),
		Certificate:            certificate(stack, s),
		MinimumProtocolVersion: awscloudfront.SecurityPolicyProtocol_TLS_V1_2_2021,
		HttpVersion:            awscloudfront.HttpVersion_HTTP2_AND_3,
		PriceClass:             awscloudfront.PriceClass_PRICE_CLASS_100,
		WebAclId:               firewall(stack),
		DefaultBehavior:        uncached(awscloudfront.ViewerProtocolPolicy_REDIRECT_TO_HTTPS),
		AdditionalBehaviors:    &behaviours,
		ErrorResponses:         errorsUncached(),
	})
	allow(e.Distribution, "AwsSolutions-CFR1", "Shoppers travel, and add-ons call from wherever they are hosted.")
	allow(e.Distribution, "AwsSolutions-CFR3",
		"The door writes a line for each request that reaches it, and the firewall's metrics tell of the others.")
	awscdk.NewCfnOutput(stack, jsii.String("Edge"),
		&awscdk.CfnOutputProps{Value: e.Distribution.DistributionDomainName(),
			Description: jsii.String("What the DNS entry *." + s.Domain + " is to lead to")})
	return e
}

// widthsOnly is the program that takes each query from a request but a width that images have. Any other width is the
// picture itself, and would be one more copy of it in the cache and one more call of the platform.
func widthsOnly() string {
	var widths []string
	for _, w := range images.Widths {
		widths = append(widths, strconv.Itoa(w))
	}
	return `function handler(event) {
	var request = event.request, w = request.querystring.w;
	var is = w && !w.multiValue && ["` + strings.Join(widths, `", "`) + `"].indexOf(w.value) >= 0;
	request.querystring = is ? {w: {value: w.value}} : {};
	return request;
}
`
}

// cachePolicy keeps an answer for as long as its Cache-Control says, apart for each host.
func cachePolicy(stack awscdk.Stack) awscloudfront.ICachePolicy {
	return awscloudfront.NewCachePolicy(stack, jsii.String("Kept"), &awscloudfront.CachePolicyProps{
		HeaderBehavior:             awscloudfront.CacheHeaderBehavior_AllowList(jsii.String("Host")),
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

// certificate is for all names right below the domain and for the shops' admins. CloudFront wants one in its own
// region, API Gateway one in the platform's. The stack waits until the domain's owner has proven it, by the DNS entry
// that the certificate asks for.
func certificate(scope constructs.Construct, s Settings) awscertificatemanager.Certificate {
	return awscertificatemanager.NewCertificate(scope, jsii.String("Certificate"),
		&awscertificatemanager.CertificateProps{
			DomainName: jsii.String("*." + s.Domain), SubjectAlternativeNames: alternativeNames(s),
			Validation: awscertificatemanager.CertificateValidation_FromDns(nil),
		})
}

// alternativeNames are the shops' admins' names; nil if there are none.
func alternativeNames(s Settings) *[]*string {
	if len(s.Shops) == 0 {
		return nil
	}
	return jsii.Strings(s.AdminNames()...)
}

// firewall turns away addresses that AWS knows to be bad, inputs that serve nothing but attacks, and floods: an address
// that sends too much gets 429 with Retry-After. AWS's other rules are not for an API that takes HTML and scripts from
// merchants.
func firewall(stack awscdk.Stack) *string {
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
		Scope: jsii.String("CLOUDFRONT"), VisibilityConfig: visible("Firewall"),
		DefaultAction: &awswafv2.CfnWebACL_DefaultActionProperty{Allow: map[string]any{}},
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
