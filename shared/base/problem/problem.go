// Package problem is what callers are told is wrong (RFC 9457; contract, "Errors"): rules and commands return one where
// they know it, and each door spells it in its own way. Any other error is the platform's own and shows nothing of
// itself.
package problem

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Problem is an error as callers see it. A door adds what it alone knows: type, title, instance and request id.
type Problem struct {
	Status int
	Code   string         // stable snake_case, explained at /docs/errors
	Detail string         // one sentence that says what to do
	Errors []Fault        // one per fault of the input
	More   map[string]any // further members of this code, at the top of the body
	Header http.Header    // further headers: Retry-After, Allow, …
}

// Fault is one thing wrong with the input.
type Fault struct {
	Location string `json:"location"`        // body.items[3].quantity, query.changed[after], header.If-Match, body
	Code     string `json:"code"`            // one of the Fault codes
	Message  string `json:"message"`         // what the place is or does, as behind its name in a sentence: "is required"
	Value    any    `json:"value,omitempty"` // what was sent there: set as the answer is written
}

// MaxFaults is how many faults an answer tells, so that a body that is wrong everywhere has no answer without end.
const MaxFaults = 100

// The codes of faults (contract, "Errors").
const (
	Required     = "required"
	UnknownField = "unknown_field"
	ReadOnly     = "read_only"
	WrongType    = "wrong_type"
	TooLong      = "too_long"
	TooMany      = "too_many"
	TooSmall     = "too_small"
	TooBig       = "too_big"
	BadFormat    = "bad_format"
	Unknown      = "not_found"
	Inactive     = "inactive"
	Duplicate    = "duplicate"
	Conflicting  = "conflict"
)

// Faults collects what a rule finds wrong; the zero value is ready.
type Faults []Fault

// Add notes a fault at a location below the body: Add("items[3].quantity", …) is body.items[3].quantity, "" the body.
// More than an answer tells are not kept.
func (f *Faults) Add(at, code, message string, args ...any) {
	if len(*f) == MaxFaults {
		return
	}
	*f = append(*f, Fault{Location: below("body", at), Code: code, Message: fmt.Sprintf(message, args...)})
}

// Err is nil without faults, else the 422 with all of them.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return Invalid(f...)
}

func below(root, at string) string {
	if at == "" || strings.HasPrefix(at, "[") {
		return root + at
	}
	return root + "." + at
}

// Error is the code and the detail; never shown to callers as it is.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// With returns the problem with one more member.
func (p *Problem) With(name string, value any) *Problem {
	if p.More == nil {
		p.More = map[string]any{}
	}
	p.More[name] = value
	return p
}

// NotFound is the 404 of a record that does not exist, was deleted, or is another shop's: the same for all three.
func NotFound() *Problem {
	return &Problem{Status: http.StatusNotFound, Code: "not_found", Detail: "There is no such record."}
}

// NoPath is the NotFound of an address that no operation answers, whatever records there are.
func NoPath() *Problem {
	return &Problem{Status: http.StatusNotFound, Code: "not_found", Detail: "There is no such path: see /docs."}
}

// Invalid is the 422 of input that is wrong in one or more places. Its detail says the first in words.
func Invalid(faults ...Fault) *Problem {
	p := &Problem{Status: http.StatusUnprocessableEntity, Code: "invalid", Errors: faults, Detail: faults[0].sentence()}
	switch more := len(faults) - 1; {
	case more == 1:
		p.Detail += " There is another fault: see errors."
	case more > 1:
		p.Detail += fmt.Sprintf(" There are %d more faults: see errors.", more)
	}
	return p
}

// MaxLocation is how many bytes of a fault's place an answer says: what a client calls a field can be of any length.
const MaxLocation = 200

// sentence is the fault in words: "`email` is required."
func (f Fault) sentence() string {
	root, name, below := strings.Cut(f.Location, ".")
	if !below {
		root, name, below = strings.Cut(f.Location, "[")
		name = "[" + name
	}
	subject := "The " + root
	if below && len(name) > MaxLocation {
		subject = "A field with a long name"
	} else if below {
		subject = "`" + name + "`"
	}
	return subject + " " + f.Message + "."
}

// InvalidAt is Invalid with one fault at a place in the body.
func InvalidAt(at, code, message string) *Problem {
	return Invalid(Fault{Location: below("body", at), Code: code, Message: message})
}

// Refused is a 422 with a code of its own.
func Refused(code, detail string) *Problem {
	return &Problem{Status: http.StatusUnprocessableEntity, Code: code, Detail: detail}
}

// Conflict is a 409: the record's state does not allow it.
func Conflict(code, detail string) *Problem {
	return &Problem{Status: http.StatusConflict, Code: code, Detail: detail}
}

// VersionConflict is the 412 of an If-Match that is not current.
func VersionConflict() *Problem {
	return &Problem{Status: http.StatusPreconditionFailed, Code: "version_conflict",
		Detail: "The record has changed since: read it again and repeat with its ETag."}
}

// Unavailable is the 503 of a platform that cannot serve now.
func Unavailable(after time.Duration) *Problem {
	return &Problem{Status: http.StatusServiceUnavailable, Code: "unavailable", Header: RetryAfter(after),
		Detail: "The platform cannot serve this request right now. Repeat it after Retry-After, a POST or PATCH " +
			"with an Idempotency-Key."}
}

// Forbidden is a 403.
func Forbidden(code, detail string) *Problem {
	return &Problem{Status: http.StatusForbidden, Code: code, Detail: detail}
}

// Lacking is the 403 of a caller without a permission, which its body names.
func Lacking(permission string) *Problem {
	return Forbidden("insufficient_permission", "This operation needs the permission "+permission+
		" on the access itself, also where its package has it.").
		With("permission", permission)
}

// Internal is the 500 of what nobody foresaw.
func Internal() *Problem {
	return &Problem{Status: http.StatusInternalServerError, Code: "internal",
		Detail: "Something went wrong on our side. The request id helps us to find it."}
}

// RetryAfter is the header that asks for another try after d, rounded up to seconds, at least one.
func RetryAfter(d time.Duration) http.Header {
	seconds := max(1, int64((d+time.Second-1)/time.Second))
	return http.Header{"Retry-After": {strconv.FormatInt(seconds, 10)}}
}

// As returns the Problem that the error is, or has in its chain.
func As(err error) (p *Problem, is bool) { return errors.AsType[*Problem](err) }

// Is says whether the error is a Problem of this code.
func Is(err error, code string) bool {
	p, is := As(err)
	return is && p.Code == code
}
