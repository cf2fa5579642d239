package admin

import (
	"slices"
	"strconv"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/base/slug"
	"eshop/shared/catalog"
	"eshop/shared/page"
	"eshop/shared/record/field"
)

// generator registers the page that makes variants of parameters: of `Size: S, M` and `Color: red, blue` four. It is
// asked by GET which variants there will be; a POST of the same fields makes them.
func (d door) generator() {
	at := productsPath + "/{id}/generate"
	// The fields are only checked here: the form is filled by what was asked.
	look(d, at, func(c *api.Call, v *visit, _ *generateFields) (screen, error) {
		return d.generateScreen(c, v, page.Sent{Values: c.Asked()})
	})
	act(d, at, d.generate, d.generateScreen)
}

// generateFields are the fields of the form, as people type them.
type generateFields struct {
	Parameters string `query:"parameters" json:"parameters" maxLength:"4000"`
	Price      string `query:"price" json:"price,omitempty" maxLength:"20"`
	Quantity   string `query:"quantity" json:"quantity,omitempty" maxLength:"20"`
	Code       string `query:"code" json:"code,omitempty" maxLength:"64"`
}

// generateData is the page: the form, and what it would make.
type generateData struct {
	page.Form
	Path   string
	Fields []page.Field
	Asked  bool         // somebody has asked for a preview
	Shown  []page.Field // the fields as the form that makes the variants sends them
	Rows   []generated
	Rest   int // how many are left for another time
}

// generated is a variant that would be made.
type generated struct{ Name, Code, Price, Quantity string }

// nameBetween stands between the values in the name of a variant that is made of them.
const nameBetween = " / "

// maxCombinations is how many variants parameters may make, those that there are already among them.
const maxCombinations = catalog.MaxVariants

// generateScreen is the page. What is wrong with its fields is said at them, also before anything is made.
func (d door) generateScreen(c *api.Call, v *visit, sent page.Sent) (screen, error) {
	whole, err := catalog.ReadProduct(c, d.Main, v.shop.ID, c.PathValue("id"))
	if err != nil {
		return screen{}, err
	}
	product := whole.Product(v.website)
	values := cloned(sent.Values)
	if values.Get("code") == "" {
		values.Set("code", string(product.Code))
	}
	all, fault := generateFields{Parameters: values.Get("parameters"), Price: values.Get("price"),
		Quantity: values.Get("quantity"), Code: values.Get("code")}.variants(product)
	sent.Values = values
	refused := sent.Code != ""
	asked := values.Get("parameters") != "" || refused
	if f, is := fault.(*problem.Problem); is && asked && !refused {
		sent.Faults = f.Errors
	}
	f := v.filler(sent)
	long := f.Long("parameters", 4_000, page.Must).Hinted(v.say("generate.parametersIs"))
	quantity := f.Named("quantity", "generate.quantity", "off")
	quantity.Mode = "numeric"
	data := generateData{Path: productsPath + "/" + product.ID + "/generate", Asked: asked && fault == nil,
		Fields: []page.Field{long, f.Amount(f.Named("price", "price", "off")).Halved().Hinted(v.say("variant.priceIs")),
			quantity.Halved(), f.Named("code", "generate.code", "off").Hinted(v.say("generate.codeIs"))}}
	data.Form = f.Done()
	for _, name := range []string{"parameters", "price", "quantity", "code"} {
		data.Shown = append(data.Shown, page.Field{Name: name, Value: values.Get(name)})
	}
	if fault == nil {
		data.Rest = max(0, len(all)-maxTogether)
		for _, x := range all[:len(all)-data.Rest] {
			row := generated{Name: string(x.Name), Code: string(x.Code), Quantity: v.lang.Number(x.Stock.Quantity)}
			price, own := catalog.PriceAt(x.PriceLevels, catalog.DefaultLevel)
			if !own {
				price, _ = catalog.PriceAt(product.PriceLevels, catalog.DefaultLevel)
			}
			row.Price = v.money(price)
			data.Rows = append(data.Rows, row)
		}
	}
	above := append(v.above("products", productsPath),
		page.Link{Text: string(product.Name), Path: productsPath + "/" + product.ID + "#variants"})
	return screen{name: "generate", title: v.say("generate"), above: above, data: data}, nil
}

// generate makes the variants that the product does not have yet, up to maxTogether in one change, and leads back to
// the product. A form that is sent twice makes none a second time.
func (d door) generate(c *api.Call, v *visit, in *formAbout[generateFields]) (string, error) {
	w, err := catalog.ReadProduct(c, d.Main, v.shop.ID, in.ID)
	if err != nil {
		return "", err
	}
	all, err := in.Body.variants(w.Product(v.website))
	if err != nil {
		return "", err
	}
	to := productsPath + "/" + in.ID + "#variants"
	if len(all) == 0 {
		v.says("generate.none")
		return to, nil
	}
	all = all[:min(len(all), maxTogether)]
	var names []string
	for _, x := range all[:min(len(all), namedOfEdits)] {
		names = append(names, string(x.Name))
	}
	v.saysOf("added.of", v.someOf(names, len(all)))
	_, err = d.Catalog().AddVariants(c, c.Unit(), in.ID, all)
	return to, err
}

// variants are the variants that the fields ask for and the product does not have.
func (g generateFields) variants(product catalog.Product) (all []catalog.VariantFields, err error) {
	var faults problem.Faults
	combinations := g.combinations(&faults)
	fields := catalog.VariantDetails{}
	fields.Defaults()
	if text := strings.TrimSpace(g.Price); text != "" {
		var price field.Money
		if price.UnmarshalJSON([]byte(strconv.Quote(field.NormalizeAmount(text)))) != nil {
			faults.Add("price", problem.BadFormat, "must be an amount")
		}
		fields.PriceLevels = []catalog.Price{{Level: catalog.DefaultLevel, Price: price}}
	}
	if text := strings.TrimSpace(g.Quantity); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if fields.Stock.Quantity = n; err != nil || n < 0 || n > catalog.MaxStock {
			faults.Add("quantity", problem.WrongType, "must be a whole number from 0")
		}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	had, codes := map[string]bool{}, map[string]bool{string(product.Code): true}
	for _, x := range product.Variants {
		had[slug.Fold(string(x.Name))], had[combinationOf(x.Parameters)] = true, true
		codes[string(x.Code)] = true
	}
	begin := strings.TrimSpace(g.Code)
	if begin == "" {
		begin = string(product.Code)
	}
	for _, parameters := range combinations {
		x := fields
		x.Name, x.Parameters = nameOfAll(parameters), parameters
		if had[slug.Fold(string(x.Name))] || had[combinationOf(parameters)] {
			continue
		}
		x.Code = freeCode(begin, parameters, codes)
		codes[string(x.Code)] = true
		all = append(all, catalog.VariantFields{VariantDetails: x})
	}
	return all, nil
}

// combinations are all that the lines of parameters allow, in their order: the last parameter changes first.
func (g generateFields) combinations(faults *problem.Faults) [][]catalog.Parameter {
	all := [][]catalog.Parameter{nil}
	lines := 0
	for line := range strings.Lines(g.Parameters) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		name, list, _ := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		var values []string
		for _, value := range strings.Split(list, ",") {
			if value = strings.TrimSpace(value); value != "" && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		switch {
		case name == "" || len(values) == 0 || len([]rune(name)) > 255:
			faults.Add("parameters", problem.BadFormat, "must be lines like Size: S, M, L")
			return nil
		case len(all)*len(values) > maxCombinations || lines > maxParameters:
			faults.Add("parameters", problem.TooMany, "would make more variants than a product can have")
			return nil
		}
		var next [][]catalog.Parameter
		for _, before := range all {
			for _, value := range values {
				next = append(next, append(slices.Clone(before),
					catalog.Parameter{Name: field.Name(name), Value: field.Line(value)}))
			}
		}
		all = next
	}
	if lines == 0 {
		faults.Add("parameters", problem.Required, "are required")
		return nil
	}
	for _, one := range all {
		if len([]rune(string(nameOfAll(one)))) > 255 {
			faults.Add("parameters", problem.TooLong, "would make names of more than 255 characters")
			return nil
		}
	}
	return all
}

// nameOfAll is the name of a variant by its parameters: S / red.
func nameOfAll(parameters []catalog.Parameter) field.Name {
	var values []string
	for _, p := range parameters {
		values = append(values, string(p.Value))
	}
	return field.Name(strings.Join(values, nameBetween))
}

// combinationOf tells whether two variants have the same parameters, in whatever order and case.
func combinationOf(parameters []catalog.Parameter) string {
	all := make([]string, len(parameters))
	for i, p := range parameters {
		all[i] = slug.Fold(string(p.Name)) + "\x00" + slug.Fold(string(p.Value))
	}
	slices.Sort(all)
	return "\x00" + strings.Join(all, "\x00")
}

// maxCode is how many characters a code has at most.
const maxCode = 64

// freeCode is the code of a variant: the beginning and the values, TR-100-S-RED, and a number behind it where the
// product has that code already.
func freeCode(begin string, parameters []catalog.Parameter, had map[string]bool) field.Code {
	for _, p := range parameters {
		if value := strings.ToUpper(slug.Make(string(p.Value))); value != "" {
			begin += "-" + value
		}
	}
	end := ""
	for n := 2; ; n++ {
		letters := []rune(begin)
		code := string(letters[:min(len(letters), maxCode-len(end))]) + end
		if !had[code] {
			return field.Code(code)
		}
		end = "-" + strconv.Itoa(n)
	}
}
