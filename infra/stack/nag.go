package main

import (
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// allow lets a finding of cdk-nag stand, with the reason why, for the parts of the construct that match one of the
// regular expressions; without any, for all of them.
func allow(construct constructs.IConstruct, finding, reason string, parts ...string) {
	s := &cdknag.NagPackSuppression{Id: &finding, Reason: &reason}
	if len(parts) > 0 {
		var matching []any
		for _, p := range parts {
			matching = append(matching, &cdknag.RegexAppliesTo{Regex: &p})
		}
		s.AppliesTo = &matching
	}
	cdknag.NagSuppressions_AddResourceSuppressions(construct, &[]*cdknag.NagPackSuppression{s}, jsii.Bool(true))
}
