package openapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions"
	"eshop/functions/docs/openapi"
	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/host"
)

var update = flag.Bool("update", false, "write the golden files anew")

// listed is the frame with all operations of THE list.
func listed() *api.API {
	a := api.New(api.Config{})
	for _, f := range functions.List {
		if f.HTTP != nil {
			f.HTTP(&host.Platform{}, a)
		}
	}
	return a
}

func TestGoldenDocumentIsThatOfTheList(t *testing.T) {
	all := map[string][]byte{"openapi-developer.json": openapi.DeveloperDocument(listed())}
	for _, v := range api.Versions {
		file := "openapi-" + v.Name + ".json"
		if v == api.Newest() {
			file = "openapi.json"
		}
		all[file] = openapi.Document(listed(), v)
	}
	for file, made := range all {
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join("..", file), made, 0o644))
		}
		golden, err := os.ReadFile(filepath.Join("..", file))
		require.NoError(t, err)
		require.True(t, bytes.Equal(golden, made),
			"%s is not the list's any more: run `make golden` and read the difference", file)
	}
}

// TestTheDevelopersDocumentHasTheirDoor: each operation of it and no other, with its token and what it refuses, in the
// words of a developer.
func TestTheDevelopersDocumentHasTheirDoor(t *testing.T) {
	d, ids := developers(t), map[string]bool{}
	var routes, want []string
	for path, methods := range d["paths"].(map[string]any) {
		for method, op := range methods.(map[string]any) {
			name := strings.ToUpper(method) + " " + path
			routes = append(routes, name)
			op := op.(map[string]any)
			id, _ := op["operationId"].(string)
			require.False(t, id == "" || ids[id], name)
			ids[id] = true
			require.NotEmpty(t, op["summary"], name)
			require.NotEmpty(t, op["description"], name)
			require.Len(t, op["security"], 1, name)
			for _, status := range []string{"401", "429", "500", "503"} {
				require.Contains(t, op["responses"], status, name)
			}
		}
	}
	for _, route := range listed().Patterns() {
		if strings.Contains(route, " /developer/") && !strings.HasSuffix(route, ".json") {
			want = append(want, route)
		}
	}
	require.ElementsMatch(t, want, routes)
	of := d["components"].(map[string]any)["schemas"].(map[string]any)
	for name := range of {
		require.NotRegexp(t, "^(Operator|Manage|Staff|Test)", name)
	}
	code := openEnum(t, of["Problem"].(map[string]any)["properties"].(map[string]any)["code"].(map[string]any))
	require.Subset(t, code, []any{"too_many_shops", "package_installed", "shop_closed", "version_conflict"})
	require.NotContains(t, code, "quote_used")
	require.NotContains(t, d["components"].(map[string]any)["headers"], "X-RateLimit-Hourly-Limit")
}

func TestTheDocumentIsTheSameEachTime(t *testing.T) {
	require.Equal(t, openapi.Document(listed(), api.Newest()), openapi.Document(listed(), api.Newest()))
}

// document is the bytes of the document, made once for all tests.
var document = sync.OnceValue(func() []byte { return openapi.Document(listed(), api.Newest()) })

// decoded is the document.
func decoded(t *testing.T) map[string]any {
	t.Helper()
	var d map[string]any
	require.NoError(t, json.Unmarshal(document(), &d))
	return d
}

// developers is the developers' document.
func developers(t *testing.T) map[string]any {
	t.Helper()
	var d map[string]any
	require.NoError(t, json.Unmarshal(openapi.DeveloperDocument(listed()), &d))
	return d
}

// inBoth runs a test on either document.
func inBoth(t *testing.T, test func(t *testing.T, d map[string]any)) {
	t.Run("of partners", func(t *testing.T) { test(t, decoded(t)) })
	t.Run("of developers", func(t *testing.T) { test(t, developers(t)) })
}

func TestEachReferenceLeadsSomewhere(t *testing.T) { inBoth(t, leadSomewhere) }

func leadSomewhere(t *testing.T, d map[string]any) {
	var walk func(any)
	walk = func(v any) {
		switch x := v.(type) {
		case map[string]any:
			if ref, is := x["$ref"].(string); is {
				at := any(d)
				for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
					at = at.(map[string]any)[step]
				}
				require.NotNil(t, at, ref)
			}
			for _, y := range x {
				walk(y)
			}
		case []any:
			for _, y := range x {
				walk(y)
			}
		}
	}
	walk(d)
}

func TestEachOperationSaysWhatItNeedsAndAnswers(t *testing.T) {
	d := decoded(t)
	require.Equal(t, "3.1.0", d["openapi"])
	ids := map[string]bool{}
	for path, methods := range d["paths"].(map[string]any) {
		require.NotContains(t, path, "/operator")
		for method, op := range methods.(map[string]any) {
			op := op.(map[string]any)
			name := method + " " + path
			id, _ := op["operationId"].(string)
			require.NotEmpty(t, id, name)
			require.False(t, ids[id], "%s is there twice", id)
			ids[id] = true
			require.NotEmpty(t, op["summary"], name)
			require.Len(t, op["tags"], 1, name)
			require.NotNil(t, op["security"], "%s: none, where anybody may", name)
			require.NotEmpty(t, op["description"], name)
			require.NotEqual(t, len(op["security"].([]any)) > 0, op["servers"] != nil || path == "/api-engine/tokens",
				"%s: a token says the shop, or its host does", name)
			answers := op["responses"].(map[string]any)
			require.Contains(t, answers, "500", name)
			require.NotContains(t, answers, "default", name)
		}
	}
}

func TestAnOperationNamesEachStatusThatItCanAnswer(t *testing.T) {
	paths := decoded(t)["paths"].(map[string]any)
	for route, want := range map[string][]string{
		"post /basket/items":                     {"403", "404", "409", "410", "422"},
		"patch /api-engine/products/batch/stock": {"200", "207"},
		"post /api-engine/custom-urls":           {"200", "201"},
		"get /api-engine/changes":                {"200", "410"},
	} {
		method, path, _ := strings.Cut(route, " ")
		answers := paths[path].(map[string]any)[method].(map[string]any)["responses"].(map[string]any)
		for _, status := range want {
			require.Contains(t, answers, status, route)
			if status < "400" {
				schema := func(status string) any {
					content := answers[status].(map[string]any)["content"].(map[string]any)
					return content["application/json"].(map[string]any)["schema"]
				}
				require.Equal(t, schema(want[0]), schema(status), route)
			}
		}
	}
}

// TestTheExampleOfABatchAgreesWithItself: its results are in their order, and 207 alone has one that failed.
func TestTheExampleOfABatchAgreesWithItself(t *testing.T) {
	paths := decoded(t)["paths"].(map[string]any)
	for _, kind := range []string{"basic", "stock", "has-units", "price-levels"} {
		op := paths["/api-engine/products/batch/"+kind].(map[string]any)["patch"].(map[string]any)
		for _, status := range []string{"200", "207"} {
			answer := op["responses"].(map[string]any)[status].(map[string]any)["content"].(map[string]any)
			text, err := json.Marshal(answer["application/json"].(map[string]any)["example"])
			require.NoError(t, err)
			var example catalog.Report
			require.NoError(t, json.Unmarshal(text, &example))
			changed := 0
			for i, r := range example.Results {
				require.Equal(t, i, r.Index, kind)
				require.Equal(t, r.Status == catalog.StatusFailed, r.Error != nil, kind)
				if r.Status == catalog.StatusChanged {
					changed++
				}
			}
			require.Equal(t, changed, example.Changed, kind)
			require.Equal(t, status == "207", changed < len(example.Results), "%s %s", kind, status)
		}
	}
}

func TestIfMatchIsThereWhereThereIsAnETag(t *testing.T) {
	paths := decoded(t)["paths"].(map[string]any)
	for route, has := range map[string]bool{
		"patch /api-engine/products/{id}":                      true,
		"delete /api-engine/webhooks/{id}":                     true,
		"patch /api-engine/products/batch/stock":               false,
		"delete /api-engine/webhook-signing-keys/{id}":         false,
		"patch /api-engine/orders/{id}/order-delivery-payment": true,
		"post /api-engine/products/{id}/variants":              true,
		"post /api-engine/webhooks/{id}/enable":                false,
		"patch /basket/items/{id}":                             false,
	} {
		method, path, _ := strings.Cut(route, " ")
		op := paths[path].(map[string]any)[method].(map[string]any)
		named := false
		for _, p := range op["parameters"].([]any) {
			named = named || p.(map[string]any)["name"] == "If-Match"
		}
		require.Equal(t, has, named, route)
		_, refused := op["responses"].(map[string]any)["412"]
		require.Equal(t, has, refused, route)
	}
}

func TestAGetWithAnETagNamesItsNotModifiedAnswer(t *testing.T) {
	paths := decoded(t)["paths"].(map[string]any)
	for path, tagged := range map[string]bool{"/api-engine/webhooks/{id}": true, "/api-engine/webhooks": false,
		"/api-engine/status": false} {
		answers := paths[path].(map[string]any)["get"].(map[string]any)["responses"].(map[string]any)
		answer, is := answers["304"].(map[string]any)
		require.Equal(t, tagged, is, path)
		if is {
			require.NotContains(t, answer, "content")
			require.Equal(t, answers["200"].(map[string]any)["headers"], answer["headers"], path)
		}
	}
}

func TestOnlyAnAnswerThatMadeSomethingOrWasAskedForItHasALocation(t *testing.T) {
	paths := decoded(t)["paths"].(map[string]any)
	for route, has := range map[string]bool{"/api-engine/webhooks 201": true,
		"/api-engine/webhooks/{id}/ping 202": true, "/api-engine/webhook-deliveries/{id}/redeliver 202": true,
		"/api-engine/webhooks/{id}/enable 200": false} {
		path, status, _ := strings.Cut(route, " ")
		answers := paths[path].(map[string]any)["post"].(map[string]any)["responses"].(map[string]any)
		headers := answers[status].(map[string]any)["headers"].(map[string]any)
		require.Equal(t, has, headers["Location"] != nil, route)
	}
}

// schemas are the document's by their names.
func schemas(t *testing.T) map[string]any {
	return decoded(t)["components"].(map[string]any)["schemas"].(map[string]any)
}

// TestNamesAreThosePartnersWouldChoose: none is one that the program has for itself.
func TestNamesAreThosePartnersWouldChoose(t *testing.T) {
	all := schemas(t)
	for name := range all {
		require.NotRegexp(t, `^Items|Fields$|Form$|Record$|Listed$|View$|^Storefront`, name)
	}
	for _, name := range []string{"Customer", "CustomerNew", "CustomerPatch", "CustomerList", "Product", "Category",
		"CustomUrl", "WebhookReceiver",
		"WebhookDelivery", "WebhookDeliveryList", "SigningKey", "DiscountCoupon", "Shop", "Package", "Change",
		"ChangeList"} {
		require.Contains(t, all, name)
	}
}

// TestAPatchSaysWhatNullClears: nothing in it is required, a field that a record may lack can be null, and no other;
// the same holds of the objects in it. Both content types share it.
func TestAPatchSaysWhatNullClears(t *testing.T) {
	all, patches := schemas(t), 0
	for path, methods := range decoded(t)["paths"].(map[string]any) {
		op, is := methods.(map[string]any)["patch"].(map[string]any)
		if !is || strings.Contains(path, "/batch/") || path == "/basket/items/{id}" {
			continue
		}
		patches++
		content := op["requestBody"].(map[string]any)["content"].(map[string]any)
		require.Equal(t, content["application/json"].(map[string]any)["schema"],
			content["application/merge-patch+json"].(map[string]any)["schema"], path)
		schema := content["application/json"].(map[string]any)["schema"].(map[string]any)
		name := strings.TrimPrefix(schema["$ref"].(string), "#/components/schemas/")
		require.True(t, strings.HasSuffix(name, "Patch"), "%s: %s", path, name)
		require.NotContains(t, all[name], "required")
	}
	require.GreaterOrEqual(t, patches, 9)
	field := func(schema, name string) any {
		return all[schema].(map[string]any)["properties"].(map[string]any)[name]
	}
	require.Equal(t, []any{"string", "null"}, field("CustomerPatch", "phone").(map[string]any)["type"])
	require.Equal(t, "string", field("CustomerPatch", "email").(map[string]any)["type"])
	require.Equal(t, []any{map[string]any{"$ref": "#/components/schemas/CustomerAddressPatch"},
		map[string]any{"type": "null"}},
		field("CustomerPatch", "billingAddress").(map[string]any)["anyOf"])
	require.Equal(t, "string", field("CustomerAddressPatch", "city").(map[string]any)["type"])
	require.NotContains(t, all["CustomerAddressPatch"], "required")
	require.Equal(t, "string", field("CustomerNew", "phone").(map[string]any)["type"], "a POST leaves it out")
	for _, cleared := range []string{"BatchBasicItem.shortDescription", "BatchBasicItem.description",
		"BatchStockItem.availability"} {
		schema, name, _ := strings.Cut(cleared, ".")
		require.Equal(t, []any{"string", "null"}, field(schema, name).(map[string]any)["type"], cleared)
	}
	require.Equal(t, "string", field("BatchBasicItem", "code").(map[string]any)["type"])
	require.Equal(t, "string", field("AccountPatch", "password").(map[string]any)["type"], "null does nothing")
	require.Equal(t, "string", field("AccountPatch", "currentPassword").(map[string]any)["type"])
}

// TestAnAnswersSchemaRequiresWhatIsAlwaysThere, which a POST may have left out, and nothing that is absent without a
// value.
func TestAnAnswersSchemaRequiresWhatIsAlwaysThere(t *testing.T) {
	all := schemas(t)
	for name, optional := range map[string][]string{
		"Product": {"externalId", "ean", "manufacturer", "shortDescription", "description", "vatRate",
			"data"},
		"ProductVariant": {"ean", "name"}, "ProductStock": {"availability"},
		"ProductStockNew": {"quantity", "availability"},
		"DiscountCoupon":  {"minimumOrder", "validFrom", "validTo", "usageLimit"}, "CustomCode": {},
		"CustomCodeNew": {"active"},
		"OrderState":    {"key", "color", "deletedAt"}, "ChangeList": {}, "ProductList": {"nextCursor"},
		"QuoteIssued": {},
	} {
		schema := all[name].(map[string]any)
		var may []string
		for field := range schema["properties"].(map[string]any) {
			if required, _ := schema["required"].([]any); !slices.Contains(required, any(field)) {
				may = append(may, field)
			}
		}
		require.ElementsMatch(t, optional, may, name)
	}
	stock := func(schema string) any {
		return all[schema].(map[string]any)["properties"].(map[string]any)["stock"].(map[string]any)["$ref"]
	}
	require.Equal(t, "#/components/schemas/ProductStock", stock("Product"))
	require.Equal(t, "#/components/schemas/ProductStockNew", stock("ProductNew"))
	require.Equal(t, "#/components/schemas/ProductStockNew", stock("ProductVariantNew"))
}

// TestOnlyWhatIsSentIsClosed: an answer may have a new field tomorrow, and no client of today breaks.
func TestOnlyWhatIsSentIsClosed(t *testing.T) {
	all := schemas(t)
	for _, name := range []string{"Product", "ProductStock", "CustomerAddress", "CustomerList", "BatchReport"} {
		require.NotContains(t, all[name], "additionalProperties", name)
	}
	for _, name := range []string{"ProductNew", "ProductStockNew", "ProductPatch", "BatchStockItem"} {
		require.Equal(t, false, all[name].(map[string]any)["additionalProperties"], name)
	}
}

// TestEachObjectThatIsSentIsClosed: an unknown field is 422 at each depth, and the document says so. What an add-on
// keeps beside a record has fields of any name.
func TestEachObjectThatIsSentIsClosed(t *testing.T) {
	d := decoded(t)
	free := []string{"put /api-engine/customers/{id}/data", "put /api-engine/orders/{id}/data",
		"put /api-engine/products/{id}/data"}
	require.ElementsMatch(t, free, opened(t, d))
	nested := d["components"].(map[string]any)["schemas"].(map[string]any)["ProductStockPatch"].(map[string]any)
	delete(nested, "additionalProperties")
	require.ElementsMatch(t, append([]string{"ProductStockPatch"}, free...), opened(t, d), "what is opened is found")
}

// opened is the objects in the bodies of a document's requests that may have fields which it does not name.
func opened(t *testing.T, d map[string]any) []string {
	o := objects{all: d["components"].(map[string]any)["schemas"].(map[string]any), seen: map[string]bool{}}
	for path, methods := range d["paths"].(map[string]any) {
		for method, operation := range methods.(map[string]any) {
			if body, is := operation.(map[string]any)["requestBody"].(map[string]any); is {
				for _, content := range body["content"].(map[string]any) {
					o.walk(method+" "+path, content.(map[string]any)["schema"])
				}
			}
		}
	}
	require.Greater(t, len(o.seen), 40)
	return o.opened
}

// objects is a walk over schemas, each by its name once.
type objects struct {
	all    map[string]any
	seen   map[string]bool
	opened []string
}

func (o *objects) walk(at string, v any) {
	s, _ := v.(map[string]any)
	if ref, is := s["$ref"].(string); is {
		if name := filepath.Base(ref); !o.seen[name] {
			o.seen[name] = true
			o.walk(name, o.all[name])
		}
		return
	}
	fields, is := s["properties"].(map[string]any)
	if is = is || strings.Contains(fmt.Sprint(s["type"]), "object"); is && s["additionalProperties"] != false {
		o.opened = append(o.opened, at)
	}
	for name, field := range fields {
		o.walk(at+"."+name, field)
	}
	if items, is := s["items"]; is {
		o.walk(at+"[]", items)
	}
	for _, of := range []string{"anyOf", "oneOf", "allOf"} {
		some, _ := s[of].([]any)
		for _, one := range some {
			o.walk(at, one)
		}
	}
}

// TestAPatternTakesTheLettersOfPeopleByteByByte: PHP's clients match bytes. They refused an answer with "č" for a
// pattern without the characters 0x80 to 0x9f, which are bytes of letters.
func TestAPatternTakesTheLettersOfPeopleByteByByte(t *testing.T) {
	letters := "Příliš žluťoučký kůň — 茶 Ľ"
	var bytewise strings.Builder
	for _, b := range []byte(letters) {
		bytewise.WriteRune(rune(b))
	}
	matched, patterns := 0, regexp.MustCompile(`"pattern": ("(?:[^"\\]|\\.)*")`)
	for _, pattern := range patterns.FindAllStringSubmatch(string(document()), -1) {
		var p string
		require.NoError(t, json.Unmarshal([]byte(pattern[1]), &p))
		if re := regexp.MustCompile(p); re.MatchString(letters) {
			require.True(t, re.MatchString(bytewise.String()), p)
			matched++
		}
	}
	require.Greater(t, matched, 100)
}

// TestVariantsAreOneOrMany: each of the two says what it must have.
func TestVariantsAreOneOrMany(t *testing.T) {
	for name, one := range map[string]string{"ProductVariants": "ProductVariant",
		"ProductVariantsNew": "ProductVariantNew"} {
		many := strings.Replace(one, "Variant", "VariantList", 1)
		require.Equal(t, map[string]any{"oneOf": []any{map[string]any{"$ref": "#/components/schemas/" + one},
			map[string]any{"$ref": "#/components/schemas/" + many}}}, schemas(t)[name])
		require.Equal(t, []any{"items"}, schemas(t)[many].(map[string]any)["required"])
	}
}

// TestAPatchWithoutTheRightToReadIsAnsweredWithoutABody, wherever the frame answers so: an answer that is one of two
// schemas is one that generators leave out.
func TestAPatchWithoutTheRightToReadIsAnsweredWithoutABody(t *testing.T) {
	brief := 0
	for path, methods := range decoded(t)["paths"].(map[string]any) {
		op, is := methods.(map[string]any)["patch"].(map[string]any)
		if !is || !strings.Contains(op["description"].(string), "the answer is 204") {
			continue
		}
		brief++
		answers := op["responses"].(map[string]any)
		require.NotContains(t, answers["204"], "content", path)
		require.Contains(t, answers["204"].(map[string]any)["headers"], "ETag", path)
		body := answers["200"].(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)
		require.NotContains(t, body["schema"], "anyOf", path)
	}
	require.Equal(t, 9, brief)
}

// TestNoNameMeetsAnother: generators make a type of each schema and of each security scheme, and a class of each tag,
// by its words; the second one of a name replaces the first without a word, or ends the generator.
func TestNoNameMeetsAnother(t *testing.T) {
	d := decoded(t)
	components := d["components"].(map[string]any)
	plain := func(name string) string { return strings.ToLower(regexp.MustCompile(`\W`).ReplaceAllString(name, "")) }
	types := map[string]bool{}
	for _, kind := range []string{"schemas", "securitySchemes"} {
		for name := range components[kind].(map[string]any) {
			require.False(t, types[plain(name)], name)
			types[plain(name)] = true
		}
	}
	section := map[string]string{}
	for _, in := range []string{"paths", "webhooks"} {
		for _, methods := range d[in].(map[string]any) {
			for _, op := range methods.(map[string]any) {
				tag := plain(op.(map[string]any)["tags"].([]any)[0].(string))
				require.Contains(t, []string{"", in}, section[tag], tag)
				section[tag] = in
			}
		}
	}
}

// TestWhatIsOneOfSeveralWebhooksSaysWhichOne.
func TestWhatIsOneOfSeveralWebhooksSaysWhichOne(t *testing.T) {
	webhook := schemas(t)["Webhook"].(map[string]any)
	by := webhook["discriminator"].(map[string]any)
	require.Equal(t, "event", by["propertyName"])
	mapping := by["mapping"].(map[string]any)
	require.Len(t, mapping, len(webhook["oneOf"].([]any)))
	for event, ref := range mapping {
		require.Contains(t, webhook["oneOf"], map[string]any{"$ref": ref})
		body := schemas(t)[strings.TrimPrefix(ref.(string), "#/components/schemas/")].(map[string]any)
		require.Equal(t, event, body["properties"].(map[string]any)["event"].(map[string]any)["const"])
	}
}

// TestFurtherMembersOfProblemsAreTyped reads the program for them.
func TestFurtherMembersOfProblemsAreTyped(t *testing.T) {
	typed := schemas(t)["Problem"].(map[string]any)["properties"].(map[string]any)
	member, used := regexp.MustCompile(`\.\s*With\("(\w+)"`), 0
	for _, folder := range []string{"functions", "shared"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", "..", folder),
			func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
					return err
				}
				source, err := os.ReadFile(path)
				require.NoError(t, err)
				for _, m := range member.FindAllStringSubmatch(string(source), -1) {
					used++
					require.Contains(t, typed, m[1], path)
				}
				return nil
			}))
	}
	require.GreaterOrEqual(t, used, 9)
}

func TestEachEventIsAWebhookWithItsBodyAndASample(t *testing.T) {
	hooks := decoded(t)["webhooks"].(map[string]any)
	require.Len(t, hooks, len(events.Sent))
	for _, e := range events.Sent {
		op := hooks[string(e)].(map[string]any)["post"].(map[string]any)
		body := op["requestBody"].(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)
		name := strings.TrimPrefix(body["schema"].(map[string]any)["$ref"].(string), "#/components/schemas/")
		data := schemas(t)[name].(map[string]any)["properties"].(map[string]any)["data"].(map[string]any)
		golden, err := os.ReadFile("../../../events/samples/" + events.APIVersion + "/" + string(e) + ".json")
		require.NoError(t, err)
		var sample map[string]any
		require.NoError(t, json.Unmarshal(golden, &sample))
		require.Equal(t, sample["data"], body["example"].(map[string]any)["data"], e)
		for field := range sample["data"].(map[string]any) {
			require.NotNil(t, data["properties"].(map[string]any)[field], "%s.%s", e, field)
			require.Contains(t, data["required"], field)
		}
		require.NotEmpty(t, op["description"])
	}
}

// TestWordsThatAreKnownAreListed, so that a program's compiler knows them.
func TestWordsThatAreKnownAreListed(t *testing.T) {
	all := schemas(t)
	for place, words := range map[string][]string{
		"WebhookDelivery.event": {"ping", "orderChange"}, "WebhookDelivery.reason": {"permission_gone"},
		"WebhookReceiver.groups": {"stock", "created"}, "Change.groups": {"stock"},
		"Status.permissions":  {"quotes:write"},
		"Package.permissions": {"shop:read"}, "WebhookReceiver.missingPermissions": {"orders:read"},
	} {
		name, field, _ := strings.Cut(place, ".")
		p := all[name].(map[string]any)["properties"].(map[string]any)[field].(map[string]any)
		if items, is := p["items"].(map[string]any); is {
			p = items
		}
		for _, word := range words {
			require.Contains(t, openEnum(t, p), word, place)
		}
	}
}

// openEnum are the values that a field of an answer is known to have, beside others that may come.
func openEnum(t *testing.T, field map[string]any) any {
	require.Equal(t, "string", field["type"])
	require.NotContains(t, field, "enum")
	return field["x-extensible-enum"]
}

// TestEnumsOfAnswersAreOpenAndThoseOfRequestsClosed walks the document: a client of today must read a value of
// tomorrow, and is told which values it can send.
func TestEnumsOfAnswersAreOpenAndThoseOfRequestsClosed(t *testing.T) {
	for _, v := range api.Versions {
		var d map[string]any
		require.NoError(t, json.Unmarshal(openapi.Document(listed(), v), &d))
		opened, shut := 0, 0
		var walk func(at string, v any, answer bool, seen map[string]bool)
		walk = func(at string, v any, answer bool, seen map[string]bool) {
			switch x := v.(type) {
			case []any:
				for _, inner := range x {
					walk(at, inner, answer, seen)
				}
			case map[string]any:
				if ref, is := x["$ref"].(string); is && !seen[ref] {
					seen[ref] = true
					parts := strings.Split(strings.TrimPrefix(ref, "#/components/"), "/")
					walk(ref, d["components"].(map[string]any)[parts[0]].(map[string]any)[parts[1]], answer, seen)
				}
				if x["x-extensible-enum"] != nil {
					opened++
					require.True(t, answer, at)
					require.NotEmpty(t, openEnum(t, x), at)
				}
				if x["enum"] != nil {
					shut++
					require.False(t, answer, "%s: its enum is closed", at)
				}
				for name, inner := range x {
					if name != "example" && name != "examples" {
						walk(at+"/"+name, inner, answer, seen)
					}
				}
			}
		}
		requests, answers := map[string]bool{}, map[string]bool{}
		walk("webhooks", d["webhooks"], true, answers)
		for path, methods := range d["paths"].(map[string]any) {
			for _, operation := range methods.(map[string]any) {
				o := operation.(map[string]any)
				walk(path, o["parameters"], false, requests)
				walk(path, o["requestBody"], false, requests)
				walk(path, o["responses"], true, answers)
			}
		}
		require.Greater(t, opened, 45)
		require.Greater(t, shut, 15)
	}
}

// TestFieldsThatDoNotSpeakForThemselvesAreDescribed: ids of other records, moments, amounts and states.
func TestFieldsThatDoNotSpeakForThemselvesAreDescribed(t *testing.T) { inBoth(t, describesFields) }

func describesFields(t *testing.T, d map[string]any) {
	wonders := regexp.MustCompile(`Ids?$|At$|^(currency|total|discount|unitPrice|state|status|nextCursor|changed)$`)
	plain := []string{"companyId", "vatId"} // numbers that offices give
	for name, schema := range d["components"].(map[string]any)["schemas"].(map[string]any) {
		properties, _ := schema.(map[string]any)["properties"].(map[string]any)
		for field, p := range properties {
			if wonders.MatchString(field) && !slices.Contains(plain, field) {
				require.NotEmpty(t, p.(map[string]any)["description"], "%s.%s", name, field)
			}
		}
	}
}

func TestOnlyCodesThatPartnersAreAnsweredAreInTheDocument(t *testing.T) {
	code := schemas(t)["Problem"].(map[string]any)["properties"].(map[string]any)["code"]
	codes := openEnum(t, code.(map[string]any))
	require.Contains(t, codes, "email_taken")
	for _, code := range []string{"last_admin", "domain_taken", "package_installed", "too_many_packages"} {
		require.NotContains(t, codes, code)
	}
}

func TestHeadersOfRequestsSayWhatIsTaken(t *testing.T) {
	paths := decoded(t)["paths"].(map[string]any)
	for route, keyed := range map[string]bool{"post /api-engine/orders": true, "post /checkout": true,
		"post /account/sign-in": false, "patch /account": false} {
		method, path, _ := strings.Cut(route, " ")
		has := false
		params, _ := paths[path].(map[string]any)[method].(map[string]any)["parameters"].([]any)
		for _, p := range params {
			if p := p.(map[string]any); p["name"] == "Idempotency-Key" {
				has = true
				require.Equal(t, map[string]any{"type": "string", "minLength": 1.0, "maxLength": 255.0,
					"pattern": "^[!-~]+$"}, p["schema"], route)
			}
		}
		require.Equal(t, keyed, has, route)
	}
	own := decoded(t)["components"].(map[string]any)["parameters"].(map[string]any)["X-Request-Id"].(map[string]any)
	require.Equal(t, map[string]any{"type": "string"}, own["schema"], "an odd one is replaced, not refused")
}

func TestEachSigningHeaderIsAParameterOfWebhooks(t *testing.T) {
	var names []any
	ping := decoded(t)["webhooks"].(map[string]any)["ping"].(map[string]any)["post"].(map[string]any)
	for _, p := range ping["parameters"].([]any) {
		names = append(names, p.(map[string]any)["name"])
	}
	require.Subset(t, names, []any{"X-Webhook-Signature-Next", "X-Webhook-Signature-Previous", "webhook-id",
		"webhook-timestamp", "webhook-signature"})
}

func TestTagsAreDescribed(t *testing.T) {
	inBoth(t, func(t *testing.T, d map[string]any) {
		for _, tag := range d["tags"].([]any) {
			require.NotEmpty(t, tag.(map[string]any)["description"], tag)
		}
	})
}

func TestTheTypesOfTheChangeFeedAreAListOfNames(t *testing.T) {
	feed := decoded(t)["paths"].(map[string]any)["/api-engine/changes"].(map[string]any)["get"].(map[string]any)
	for _, p := range feed["parameters"].([]any) {
		if p := p.(map[string]any); p["name"] == "types" {
			require.Equal(t, false, p["explode"], "with commas between")
			require.Equal(t, "array", p["schema"].(map[string]any)["type"])
			require.Contains(t, p["schema"].(map[string]any)["items"].(map[string]any)["enum"], "categories")
		}
	}
}

func TestNothingOfTheOperatorsIsInTheDocument(t *testing.T) {
	d := decoded(t)
	for name := range d["components"].(map[string]any)["schemas"].(map[string]any) {
		require.NotContains(t, name, "Operator")
	}
	require.NotContains(t, string(document()), "systemUrl\"")
}

// TestEachOperationHasItsExample: what its path holds, the JSON that it takes, and each JSON that it answers.
func TestEachOperationHasItsExample(t *testing.T) { inBoth(t, holdExamples) }

func holdExamples(t *testing.T, d map[string]any) {
	for _, methods := range d["paths"].(map[string]any) {
		for _, op := range methods.(map[string]any) {
			op := op.(map[string]any)
			has := func(what string, of any) {
				require.NotNil(t, of.(map[string]any)["example"], "%s has no example of its %s: put its path and "+
					"request into openapi/examples.json, and run `make golden`", op["operationId"], what)
			}
			parameters, _ := op["parameters"].([]any)
			for _, p := range parameters {
				if p.(map[string]any)["in"] == "path" {
					has("path", p)
				}
			}
			if takes, is := op["requestBody"].(map[string]any); is {
				if body, is := takes["content"].(map[string]any)["application/json"]; is {
					has("request", body)
				}
			}
			for status, answer := range op["responses"].(map[string]any) {
				content, _ := answer.(map[string]any)["content"].(map[string]any)
				if body, is := content["application/json"]; is {
					has(status, body)
				}
			}
		}
	}
}

func TestFieldsAreInTheOrderOfTheirSource(t *testing.T) {
	whole := string(document())
	for _, path := range []string{`"CustomerNew": {`, `"CustomerPatch": {`} {
		part := whole[strings.Index(whole, path):]
		last := -1
		for _, name := range []string{"externalId", "email", "firstName", "lastName", "phone", "company",
			"billingAddress", "note"} {
			at := strings.Index(part, `"`+name+`": {`)
			require.Greater(t, at, last, "%s in %s", name, path)
			last = at
		}
	}
}
