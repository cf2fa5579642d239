package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"eshop/shared/record/field"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestATimeIsOneOfTheYears1To9999(t *testing.T) {
	w := open(t)
	for sent, stored := range map[string]string{
		"0001-01-01T00:00:00Z":                                 "0001-01-01T00:00:00.000Z",
		"0001-01-01T01:00:00+01:00":                            "0001-01-01T00:00:00.000Z",
		"0000-12-31T23:00:00-01:00":                            "0001-01-01T00:00:00.000Z",
		"9999-12-31T23:59:59.999999Z":                          "9999-12-31T23:59:59.999Z",
		"9999-12-31T22:59:59-01:00":                            "9999-12-31T23:59:59.000Z",
		"2026-11-21T02:05:12.5+23:59":                          "2026-11-20T02:06:12.500Z",
		"2026-11-21T02:05:12." + strings.Repeat("1", 43) + "Z": "2026-11-21T02:05:12.111Z",
		"9999-12-31T23:59:59-00:01":                            "",
		"9999-12-31T23:59:59-01:00":                            "",
		"0001-01-01T00:59:59+01:00":                            "",
		"0000-01-01T00:00:00+01:00":                            "",
		"0000-06-01T00:00:00Z":                                 "",
		"10000-01-01T00:00:00Z":                                "",
		"-001-01-01T00:00:00Z":                                 "",
		"2026-11-21T02:05:12+24:00":                            "",
		"2026-11-21T02:05:12+01:60":                            "",
		"2026-11-21T02:05:12.Z":                                "",
		"2026-11-21T2:05:12Z":                                  "",
		"2026-11-21T02:05:12,5Z":                               "",
		"2026-11-21":                                           "",
		"2026-11-21T02:05:12." + strings.Repeat("1", 44) + "Z": "",
	} {
		r := w.do("POST", notes, `{"title":"x","until":"`+sent+`"}`)
		if stored == "" {
			w.refused(r, 422, "invalid")
			require.Equal(t, []any{"body.until", "bad_format", sent},
				[]any{r.fault(t, 0)["location"], r.fault(t, 0)["code"], r.fault(t, 0)["value"]})
			continue
		}
		require.Equal(t, 201, r.Code, sent)
		require.Equal(t, stored, r.body["until"], sent)
		require.Equal(t, r.body, w.do("GET", r.Header().Get("Location"), "").body, sent)
	}
	require.Equal(t, 200, w.do("GET", notes, "").Code)
}

func TestAMomentOfAQueryIsOneOfTheYears1To9999(t *testing.T) {
	w := open(t)
	for query, status := range map[string]int{
		"0001-01-01": 200, "9999-12-31": 200, "9999-12-31T23:59:59.9999Z": 200, "0001-01-01T00:00:00Z": 200,
		"0000-01-01": 422, "0000-12-31T23:59:59Z": 422, "9999-12-31T23:59:59-00:01": 422,
		"0001-01-01T00:00:00%2B00:01": 422, "2026-11-21T00:00:00%2B24:00": 422,
	} {
		for _, bound := range []string{"after", "before", "strictly_after", "strictly_before"} {
			require.Equal(t, status, w.do("GET", notes+"?changed["+bound+"]="+query, "").Code, "%s %s", bound, query)
		}
	}
}

func TestATimeThatWasTakenIsReadAsItWasWritten(t *testing.T) {
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(),
		time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC).UnixMilli()
	rapid.Check(t, func(t *rapid.T) {
		at := field.Time(rapid.OneOf(rapid.Int64Range(first, first+1e8), rapid.Int64Range(last-1e8, last),
			rapid.Int64Range(first, last)).Draw(t, "milliseconds"))
		b, err := json.Marshal(at)
		require.NoError(t, err)
		var again field.Time
		require.NoError(t, json.Unmarshal(b, &again))
		require.Equal(t, at, again)
	})
}

func TestValuesAreDecodedBeforeTheyAreRead(t *testing.T) {
	w := open(t)
	plain := w.do("POST", notes, `{"title":"Tea","price":"10.00","fee":"0.50","until":"2026-11-21T02:05:12.583Z","tags":["a/b"],"mail":"a@b.cz"}`)
	require.Equal(t, 201, plain.Code)
	spelt := w.do("POST", notes, "\n{ \"t\\u0069tle\" : \"\\u0054ea\" , "+
		"\"price\":\"10.\\u0030\\u0030\",\"fee\":\"0\\u002e50\",\"until\":\"2026-11-21T02:05:12.583\\u005a\","+
		"\"tags\":[ \"a\\/b\" ],\"mail\":\"a\\u0040b.cz\"}\t")
	require.Equal(t, 201, spelt.Code, spelt.Body.String())
	for _, field := range []string{"title", "price", "fee", "until", "tags", "mail"} {
		require.Equal(t, plain.body[field], spelt.body[field], field)
	}
	changed := w.do("PATCH", plain.Header().Get("Location"),
		`{"price":"11.\u0030\u0030","until":"2027-11-21T02:05:12.583\u005A"}`)
	require.Equal(t, 200, changed.Code, changed.Body.String())
	require.Equal(t, "11.00", changed.body["price"])
	require.Equal(t, "2027-11-21T02:05:12.583Z", changed.body["until"])
}
