package main

import (
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// allow lets a finding of cdk-nag stand, with the reason why, for the parts of the construct that match a regular
// expression; "" stands for all of them.
func allow(c constructs.IConstruct, finding, reason, parts string) {
	s := &cdknag.NagPackSuppression{Id: &finding, Reason: &reason}
	if parts != "" {
		s.AppliesTo = &[]any{&cdknag.RegexAppliesTo{Regex: &parts}}
	}
	cdknag.NagSuppressions_AddResourceSuppressions(c, &[]*cdknag.NagPackSuppression{s}, jsii.Bool(true))
}
