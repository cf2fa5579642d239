package api

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"eshop/shared/base/each"
)

// Version is a version of the API that accesses call (contract, "API versions"). This file says all that tells versions
// apart. The program is written in the shape of the newest one; an older version names what it does otherwise. The same
// requests are answered alike in all versions but for that: the recorded answers of a version
// (events/samples/<version>) hold it to its word.
type Version struct {
	Name string // its date, as Api-Version has it
	// Deprecated is since when programs should ask for a newer version; zero: programs may stay.
	Deprecated time.Time
	// Sunset is until when the version is served: at least 12 months after Deprecated, and after the first answer that
	// said so. A release after it takes the row away.
	Sunset time.Time
	// Abridges says that a PATCH by a caller without the :read of the record is answered 200 with `id` and `changed`.
	// Newer versions answer such a caller 204 (contract, "Answers").
	Abridges bool

	ending [2]Header // see Ending
}

// Versions are all that a request may ask for, the oldest first.
var Versions = withEndings([]Version{
	{Name: "2026-11-01", Deprecated: day(2027, time.January, 1), Sunset: day(2028, time.January, 1),
		Abridges: true},
	{Name: "2027-01-01"},
})

// Newest is the version that the program is written in. It need not be current yet: that is events.APIVersion.
func Newest() Version { return Versions[len(Versions)-1] }

func day(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// versionOf is the version of a name, and the oldest of any other name.
func versionOf(name string) Version {
	return Versions[max(0, slices.IndexFunc(Versions, func(v Version) bool { return v.Name == name }))]
}

// versionNames are the names of all versions.
func versionNames() []string { return each.Of(Versions, func(v Version) string { return v.Name }) }

// Header is a header of answers.
type Header struct{ Name, Value string }

// Ending are the headers of all answers in a version that ends (RFC 9745 and RFC 8594); none of any other. There is no
// Link beside them: a program may take any Link of a collection for the address of the next page.
func (v Version) Ending() []Header {
	if v.Deprecated.IsZero() {
		return nil
	}
	return v.ending[:]
}

// withEndings writes the headers of each version once, for every answer has them.
func withEndings(all []Version) []Version {
	for i, v := range all {
		all[i].ending = [2]Header{{"Deprecation", "@" + strconv.FormatInt(v.Deprecated.Unix(), 10)},
			{"Sunset", v.Sunset.Format(http.TimeFormat)}}
	}
	return all
}

// withhold takes away what a caller may not read of a PATCH's answer.
func (v Version) withhold(res *response) error {
	if v.Abridges {
		return res.abridge()
	}
	res.empty()
	return nil
}

// describeWithheld adds to the description of a PATCH what a caller is answered who may not read the record. whole is
// the answer to all others; abridged is the schema of `id` and `changed`.
func (v Version) describeWithheld(entry *huma.Operation, whole *huma.Response, abridged *huma.Schema) {
	if v.Abridges {
		body := whole.Content["application/json"]
		body.Schema = &huma.Schema{AnyOf: []*huma.Schema{body.Schema, abridged}}
		entry.Description += "200 with `id` and `changed` alone."
		return
	}
	entry.Responses[strconv.Itoa(http.StatusNoContent)] = &huma.Response{
		Description: http.StatusText(http.StatusNoContent), Headers: whole.Headers}
	entry.Description += "204 with the `ETag`. Version 2026-11-01 answers 200 with `id` and `changed` alone."
}
