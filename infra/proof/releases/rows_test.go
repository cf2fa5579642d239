package releases

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/awsconf"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/dynamo"
)

// row is a line of a golden's rows: an item as DynamoDB holds it, a change that rode on one and that nobody has heard
// of yet, or a message that waits in a queue.
type row struct {
	Table  string          `json:"table"`
	Item   json.RawMessage `json:"item,omitempty"`
	Change string          `json:"change,omitempty"`

	Message string `json:"message,omitempty"` // of a queue

	item store.Item
}

// queued is what stands in the place of a table for messages.
const queued = "queues"

// engine is as much of DynamoDB as keeps items: it has them as they come by wire, and gives them so.
type engine map[string]json.RawMessage

// Do is http.Client's.
func (e engine) Do(r *http.Request) (*http.Response, error) {
	var in struct {
		Item json.RawMessage
		Key  map[string]struct{ S string }
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	answer := `{}`
	switch _, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); operation {
	case "PutItem":
		e["put"] = in.Item
	case "GetItem":
		answer = fmt.Sprintf(`{"Item":%s}`, e["put"])
	default:
		return nil, fmt.Errorf("the engine knows no %s", operation)
	}
	return &http.Response{StatusCode: http.StatusOK, Request: r, Body: io.NopCloser(strings.NewReader(answer)),
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}}, nil
}

// codec is a table of DynamoDB with one item.
func codec() (engine, *dynamo.Table) {
	e := engine{}
	cfg := awsconf.New("eu-central-1", sdk.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"})
	cfg.HTTPClient = e
	return e, dynamo.New(cfg, "table")
}

// encode is the rows as lines, their items as DynamoDB gets them.
func encode(t testing.TB, rows []row) []byte {
	t.Helper()
	e, table := codec()
	var b bytes.Buffer
	for _, r := range rows {
		if r.Table != queued && r.Change == "" {
			_, err := table.Write(t.Context(), events.Nothing, store.Put(r.item))
			require.NoError(t, err)
			r.Item = e["put"]
		}
		require.NoError(t, json.NewEncoder(&b).Encode(r))
	}
	return b.Bytes()
}

// decode is the opposite.
func decode(t testing.TB, lines []byte) (rows []row) {
	t.Helper()
	e, table := codec()
	for d := json.NewDecoder(bytes.NewReader(lines)); d.More(); {
		var r row
		require.NoError(t, d.Decode(&r))
		if r.Table != queued && r.Change == "" {
			e["put"] = r.Item
			items, err := table.Get(t.Context(), store.Key{PK: "any", SK: "any"})
			require.NoError(t, err)
			r.item = *items[0]
		}
		rows = append(rows, r)
	}
	return rows
}

func compareKeys(a, b store.Key) int { return cmp.Or(cmp.Compare(a.PK, b.PK), cmp.Compare(a.SK, b.SK)) }

var (
	literal   = regexp.MustCompile(`^=?[A-Z]+$`)
	inMessage = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`) // the ids
	varies    = regexp.MustCompile(`^([0-9A-HJKMNP-TV-Z]{26}|-?[0-9]+)$`)
)

// form is a key without what varies: S#*#C#* A.
func form(k store.Key) string {
	if k == (store.Key{}) {
		return ""
	}
	segments := func(text string) string {
		all := strings.Split(text, "#")
		for i, s := range all {
			if !literal.MatchString(s) {
				all[i] = "*"
			}
		}
		return strings.Join(all, "#")
	}
	return segments(k.PK) + " " + segments(k.SK)
}

// shapes are the names and types of all that rows hold, behind the table and the form of their keys, sorted.
func shapes(rows []row) (all []string) {
	for _, r := range rows {
		name, shape := r.Table+" "+form(r.item.Key), shapeOf(r.item)
		if r.Change != "" {
			name, shape = r.Table+", what rides", typesOf("change", []byte(r.Change))
		}
		if r.Table == queued {
			name, shape = queued, []string{inMessage.ReplaceAllString(r.Message, "*")}
		}
		all = append(all, name)
		for _, s := range shape {
			all = append(all, name+", "+s)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// differences are what one of two sorted lists has and the other has not.
func differences(was, is []string) (all []string) {
	for _, s := range was {
		if _, has := slices.BinarySearch(is, s); !has {
			all = append(all, "no more: "+s)
		}
	}
	for _, s := range is {
		if _, has := slices.BinarySearch(was, s); !has {
			all = append(all, "new: "+s)
		}
	}
	return all
}

func shapeOf(i store.Item) (all []string) {
	for name, has := range map[string]bool{"version": i.Version != "", "parts": i.Parts != 0,
		"expires": i.Expires != 0} {
		if has {
			all = append(all, name)
		}
	}
	for name, key := range map[string]store.Key{"index 1: ": i.Index1, "index 2: ": i.Index2} {
		if f := form(key); f != "" {
			all = append(all, name+f)
		}
	}
	for name := range i.Text {
		all = append(all, "text "+named(name))
	}
	for name := range i.Num {
		all = append(all, "number "+named(name))
	}
	if len(i.Doc) > 0 {
		all = append(all, typesOf("doc", i.Doc)...)
	}
	return all
}

// named is a name without what varies: q.*, won#*.
func named(name string) string {
	return regexp.MustCompile(`[^.#]+`).ReplaceAllStringFunc(name, func(s string) string {
		if varies.MatchString(s) {
			return "*"
		}
		return s
	})
}

// typesOf are the paths in a document with the types of their values. The body of a delivery whose data is another
// row's lacks its last brace.
func typesOf(path string, doc []byte) []string {
	var v any
	if json.Unmarshal(doc, &v) != nil && json.Unmarshal(append(bytes.Clone(doc), "null}"...), &v) != nil {
		return []string{path + ": bytes"}
	}
	return types(path, v)
}

func types(path string, v any) (all []string) {
	switch v := v.(type) {
	case map[string]any:
		all = append(all, path+": object")
		for name, inner := range v {
			all = append(all, types(path+"."+named(name), inner)...)
		}
	case []any:
		all = append(all, path+": list")
		for _, inner := range v {
			all = append(all, types(path+"[]", inner)...)
		}
	case nil:
		all = append(all, path+": null")
	default:
		all = append(all, fmt.Sprintf("%s: %T", path, v))
	}
	return all
}
