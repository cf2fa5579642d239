package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/api"
)

// form is a body of multipart/form-data: parts are headers and contents in turn.
func form(boundary string, parts ...string) string {
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		fmt.Fprintf(&b, "--%s\r\n%s\r\n\r\n%s\r\n", boundary, parts[i], parts[i+1])
	}
	return b.String() + "--" + boundary + "--\r\n"
}

func named(name string) string { return `Content-Disposition: form-data; name="` + name + `"` }

// withFiles is a world with an operation that takes a file of 1,000 bytes.
func withFiles(t testing.TB) *world {
	w := open(t)
	type upload struct {
		File api.File `json:"file"`
		Name string   `json:"name,omitempty" maxLength:"5"`
	}
	type told struct {
		Size int    `json:"size"`
		Name string `json:"name"`
	}
	api.Add(w.api, api.Op{Route: "POST /api-engine/files", ID: "addFile", MaxBody: 1000},
		func(_ *api.Call, in *api.Create[upload]) (*api.Plain[told], error) {
			return api.PlainOf(told{len(in.Body.File), in.Body.Name}), nil
		})
	return w
}

func (w *world) send(body string, headers ...string) reply {
	return w.do("POST", "/api-engine/files", body,
		append([]string{"Content-Type", "multipart/form-data; boundary=b"}, headers...)...)
}

func TestAFormIsReadByItsParts(t *testing.T) {
	w := withFiles(t)
	file := "\x00\xff--b"
	for name, body := range map[string]string{
		"plainly":          form("b", named("file"), file, named("name"), "ž"),
		"in another order": form("b", named("name"), "ž", named("file"), file),
		"with types and names that nobody looks at": form("b",
			named("file")+"; filename=\"../../x.html\"\r\nContent-Type: text/html", file,
			named("name")+"\r\nContent-Transfer-Encoding: base64", "ž"),
		"with text around it": "preamble\r\n" + form("b", named("file"), file, named("name"), "ž") + "epilogue",
	} {
		t.Run(name, func(t *testing.T) {
			r := w.send(body)
			require.Equal(t, 201, r.Code, r.Body.String())
			require.Equal(t, map[string]any{"size": 5., "name": "ž"}, r.body)
		})
	}
	require.Equal(t, 201, w.send(form("b", named("file"), strings.Repeat("a", 1000))).Code)
	require.Equal(t, 201, w.send(form("b", named("file"), "")).Code, "an empty file is one")
}

func TestAFormThatIsHostileIsRefused(t *testing.T) {
	w := withFiles(t)
	many := []string{named("file"), ""}
	for i := range 1_000 {
		many = append(many, named(fmt.Sprint("f", i)), "x")
	}
	whole := form("b", named("file"), "x")
	for name, c := range map[string]struct {
		body, kind string
		status     int
		code       string
	}{
		"no boundary":             {whole, "multipart/form-data", 415, "unsupported_media_type"},
		"an empty boundary":       {whole, `multipart/form-data; boundary=""`, 415, "unsupported_media_type"},
		"JSON":                    {`{"file":"x"}`, "application/json", 415, "unsupported_media_type"},
		"no type":                 {whole, "", 415, "unsupported_media_type"},
		"another kind of form":    {"file=x", "application/x-www-form-urlencoded", 415, "unsupported_media_type"},
		"another multipart":       {whole, "multipart/mixed; boundary=b", 415, "unsupported_media_type"},
		"another boundary":        {whole, "multipart/form-data; boundary=c", 400, "malformed_json"},
		"no end":                  {whole[:len(whole)-8], "", 400, "malformed_json"},
		"nothing":                 {"", "", 400, "malformed_json"},
		"a file twice":            {form("b", named("file"), "x", named("file"), "y"), "", 400, "malformed_json"},
		"a part without a name":   {form("b", "Content-Disposition: form-data", "x"), "", 400, "malformed_json"},
		"a part without anything": {form("b", "X: y", "x"), "", 400, "malformed_json"},
		"a text that is no UTF-8": {form("b", named("file"), "x", named("name"), "\xff"), "", 400, "malformed_json"},
		"many parts":              {form("b", many...), "", 400, "malformed_json"},
		"a header without end":    {"--b\r\n" + strings.Repeat("x", 60_000), "", 400, "malformed_json"},
		"headers without number":  {"--b\r\n" + strings.Repeat("A: b\r\n", 11_000), "", 400, "malformed_json"},
		"a long file":             {form("b", named("file"), strings.Repeat("a", 1001)), "", 413, "body_too_large"},
		"a long body":             {strings.Repeat("x", 70_000) + whole, "", 413, "body_too_large"},
		"a long header":           {"--b\r\nX: " + strings.Repeat("x", 70_000), "", 413, "body_too_large"},
		"no file":                 {form("b", named("name"), "x"), "", 422, "invalid"},
		"an unknown part":         {form("b", named("file"), "x", named("other"), "y"), "", 422, "invalid"},
		"a long unknown part": {form("b", named("file"), "x", named("other"), strings.Repeat("y", 2000)[:1000]), "",
			422, "invalid"},
		"a file under another name": {form("b", named("image"), "\x89PNG\xff"), "", 422, "invalid"},
		"a long text":               {form("b", named("file"), "x", named("name"), "yyyyyy"), "", 422, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			headers := []string{}
			if c.kind != "" || name == "no type" {
				headers = []string{"Content-Type", c.kind}
			}
			r := w.refused(w.send(c.body, headers...), c.status, c.code)
			require.NotContains(t, r.Body.String(), "yyyyyyyyyy")
		})
	}
	w.t = t
	r := w.refused(w.send("\x1f\x8b", "Content-Encoding", "gzip"), 415, "unsupported_media_type")
	require.Equal(t, "identity", r.Header().Get("Accept-Encoding"))
	r = w.send(form("b", named("file"), strings.Repeat("a", 1001)))
	require.Contains(t, r.body["detail"], "The file is larger than")
	r = w.send(form("b", named("image"), "\x89PNG\xff"))
	require.Equal(t, "body.file", r.fault(t, 0)["location"])
	require.Equal(t, "body.image", r.fault(t, 1)["location"])
	r = w.send(form("b", named("file"), "x", named("other"), "y"))
	require.Equal(t, map[string]any{"location": "body.other", "code": "unknown_field",
		"message": "is not a field of this operation", "value": "y"}, r.fault(t, 0))
}

func TestAFormUnderAKeyIsComparedByItsParts(t *testing.T) {
	w := withFiles(t)
	first := w.send(form("b", named("file"), "x", named("name"), "y"), "Idempotency-Key", "k")
	require.Equal(t, 201, first.Code)
	again := w.send(form("c", named("name"), "y", named("file")+"; filename=a", "x"), "Idempotency-Key", "k",
		"Content-Type", "multipart/form-data; boundary=c")
	require.Equal(t, "true", again.Header().Get("Idempotent-Replayed"), again.Body.String())
	for _, other := range []string{form("b", named("file"), "x"), form("b", named("file"), "y", named("name"), "x"),
		form("b", named("file"), "xx", named("name"), "y")} {
		w.refused(w.send(other, "Idempotency-Key", "k"), 422, "idempotency_key_reused")
	}
}

func FuzzForm(f *testing.F) {
	w := withFiles(f)
	for _, body := range []string{form("b", named("file"), "x"), form("b", named("file"), "x", named("file"), "y"),
		"--b", "--b\r\n\r\n", ""} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		w.t = t
		if r := w.send(body); r.Code >= 500 {
			t.Fatal(r.Body.String())
		}
	})
}
