package admin

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/page"
)

// takenCode finds the refusals of a value that another record has.
var takenCode = regexp.MustCompile(`problem\.Conflict\("(\w+_taken)"`)

// uniqueValues are the unique values of all nouns, by the noun's package and the code of the refusal.
func uniqueValues(t *testing.T) map[string]bool {
	all := map[string]bool{}
	require.NoError(t, filepath.WalkDir("../../shared", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := os.ReadFile(file)
		for _, m := range takenCode.FindAllSubmatch(source, -1) {
			all[filepath.Base(filepath.Dir(file))+" "+string(m[1])] = true
		}
		return err
	}))
	require.NotEmpty(t, all)
	return all
}

// takenForm is a form of the admin with a value that is taken.
type takenForm struct {
	unique, field string
	path          string
	values        []string
}

// TestATakenValueIsAFaultOfItsField goes over the unique values of all nouns: a new one fails here until its forms are
// among these, or it is said to have none.
func TestATakenValueIsAFaultOfItsField(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	made := func(path string, body object) string { return w.addon(tea, "POST", path, body).ID() }
	product := func(code, name string, also object) string {
		body := object{"code": code, "name": name, "priceLevels": []object{{"level": "default", "price": "1.00"}}}
		for k, v := range also {
			body[k] = v
		}
		return made("/api-engine/products", body)
	}
	person := object{"firstName": "J", "lastName": "N", "email": "jana@example.cz", "externalId": "7"}
	made("/api-engine/customers", person)
	petr := made("/api-engine/customers", object{"firstName": "P", "lastName": "N", "email": "petr@example.cz"})
	product("A", "First", object{"externalId": "7"})
	product("GEN-T", "Third", nil)
	second := product("B", "Second", nil)
	variants := w.addon(tea, "POST", "/api-engine/products/"+second+"/variants",
		object{"items": []object{{"code": "B-1"}, {"code": "B-2"}}})
	variant := variants.Get("items.1.id")
	ten := object{"code": "TEN", "type": "percentage", "value": "10.00"}
	made("/api-engine/discount-coupons", ten)
	eleven := made("/api-engine/discount-coupons", object{"code": "ELEVEN", "type": "percentage", "value": "11.00"})
	w.nameTaken(product, "Same", second)
	w.slugTaken(made, "super")

	customer := []string{"firstName", "J", "lastName", "N"}
	goods := []string{"name", "x", "priceLevels.default", "1.00"}
	forms := []takenForm{
		{"customer email_taken", "email", "/admin/customers", append(customer, "email", "JANA@example.cz")},
		{"customer email_taken", "email", "/admin/customers/" + petr, []string{"email", "jana@example.cz"}},
		{"customer external_id_taken", "externalId", "/admin/customers",
			append(customer, "email", "x@example.cz", "externalId", "7")},
		{"customer external_id_taken", "externalId", "/admin/customers/" + petr, []string{"externalId", "7"}},
		{"staff email_taken", "email", "/admin/people", []string{"name", "A", "email", "ada@" + tea}},
		{"sale code_taken", "code", "/admin/coupons",
			[]string{"code", "ten", "type", "percentage", "value", "1.00"}},
		{"sale code_taken", "code", "/admin/coupons/" + eleven, []string{"code", "TEN"}},
		{"catalog code_taken", "code", "/admin/products", append(goods, "code", "A")},
		{"catalog code_taken", "code", "/admin/products/" + second, []string{"code", "A"}},
		{"catalog code_taken", "code", "/admin/products/" + second + "/variants", []string{"code", "A"}},
		{"catalog code_taken", "code", "/admin/products/" + second + "/variants/" + variant, []string{"code", "B-1"}},
		{"catalog code_taken", "variants." + variant + ".code", "/admin/products/" + second + "/variants-table",
			[]string{"variants." + variant + ".code", "B-1"}},
		{"catalog code_taken", "code", "/admin/products/" + second + "/generate",
			[]string{"parameters", "x: T", "code", "GEN"}},
		{"catalog external_id_taken", "externalId", "/admin/products", append(goods, "code", "C", "externalId", "7")},
		{"catalog external_id_taken", "externalId", "/admin/products/" + second, []string{"externalId", "7"}},
		{"address slug_taken", "name", "/admin/products/" + second, []string{"name", "Same"}},
		{"address slug_taken", "url", "/admin/urls", []string{"urlItem", "product:" + second, "url", "super"}},
	}
	covered := map[string]bool{}
	for _, reason := range []string{
		"addon code_taken",       // a package is the operator's
		"shop domain_taken",      // so is a shop
		"sale external_id_taken", // price quotes are made over the API
	} {
		covered[reason] = true
	}
	for _, f := range forms {
		covered[f.unique] = true
		t.Run(f.unique+" "+f.path, func(t *testing.T) {
			a := b.Form(f.path, f.values...).Shown(409)
			code := regexp.MustCompile(`\w+$`).FindString(f.unique)
			marked := regexp.MustCompile(`id="([^"]*)" name="([^"]*)"[^>]* aria-invalid="true" aria-describedby="([^"]*)"`)
			found := marked.FindAllStringSubmatch(a.Text, -1)
			require.Len(t, found, 1, "one field is marked")
			id, name := found[0][1], found[0][2]
			require.Equal(t, f.field, name)
			require.Regexp(t, fmt.Sprintf(`<p class="fault" id="%s-fault" data-code="%s">[^<]`, id, code), a.Text)
			require.Regexp(t, fmt.Sprintf(`role="alert" data-code="%s"[^>]*><h2>[^<]*</h2><ul><li data-code="%s"><a href="#%s">`,
				code, code, id), a.Text)
			require.NotContains(t, a.Text, texts().Say(page.Czech, "fault.other"), "it has words of its own")
		})
	}
	require.Equal(t, uniqueValues(t), covered)
}

// nameTaken makes products that have all addresses that a product would get by the name.
func (w *world) nameTaken(product func(code, name string, also object) string, name, of string) {
	product(name, name+" "+of, nil)
	for i := range 20 {
		product(fmt.Sprint(name, i), name, nil)
	}
}

// slugTaken gives categories a slug with all its suffixes.
func (w *world) slugTaken(made func(path string, body object) string, slug string) {
	for i := range 100 {
		category := made("/api-engine/categories", object{"name": fmt.Sprint("K", i)})
		made("/api-engine/custom-urls", object{"urlItem": object{"type": "category", "id": category}, "url": slug})
	}
}
