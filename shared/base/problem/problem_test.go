package problem

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDetailOfInvalidInputSaysTheFirstFaultInWords(t *testing.T) {
	for at, want := range map[string]string{
		"body.email":                       "`email` is required.",
		"body.items[3].quantity":           "`items[3].quantity` is required.",
		"body[0]":                          "`[0]` is required.",
		"body":                             "The body is required.",
		"query":                            "The query is required.",
		"query.changed[after]":             "`changed[after]` is required.",
		"header.Idempotency-Key":           "`Idempotency-Key` is required.",
		"body." + strings.Repeat("x", 9e5): "A field with a long name is required.",
	} {
		require.Equal(t, want, Invalid(Fault{Location: at, Message: "is required"}).Detail)
	}
	one, two := Fault{Location: "body.a", Message: "is required"}, Fault{Location: "body.b", Message: "is required"}
	require.Equal(t, "`a` is required. There is another fault: see errors.", Invalid(one, two).Detail)
	require.Equal(t, "`b` is required. There are 2 more faults: see errors.", Invalid(two, one, one).Detail)
}
