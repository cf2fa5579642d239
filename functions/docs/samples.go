package docs

import (
	"net/http"
	"strings"

	"eshop/shared/api"
)

// request is what an example sends, whatever the language.
type request struct {
	base         string // the platform's address
	method, path string
	shop         bool   // at the shop's own address, not at the platform's
	token        bool   // with the reader's token
	body         string // JSON; "": none
	image        bool   // image.png as a form's file
}

// sample is a whole program that sends a request and prints the answer. It reads TOKEN, or a shop's address SHOP, from
// its environment and needs nothing but what its language comes with.
type sample struct{ Language, Source string }

// samples are the request in each language of the reference, in the order of the page's tabs.
func samples(r request) []sample {
	return []sample{{"curl", r.curl()}, {"JavaScript", r.javaScript()}, {"Python", r.python()}, {"Go", r.golang()}}
}

// address is where the request goes to: of the platform as it is, of a shop, which the reader knows, behind what the
// language puts in front of a variable.
func (r request) address(quote, shop string) string {
	if r.shop {
		return shop + quote + r.path + quote
	}
	return quote + r.base + r.path + quote
}

// version is the version that a request asks for, which is the one that the pages describe; "" where there are none.
func (r request) version() string {
	if r.shop {
		return ""
	}
	return api.Newest().Name
}

// curl is the request as a command of a shell. The body stands in single quotes, so one inside it is written '\”.
func (r request) curl() string {
	var b strings.Builder
	b.WriteString("curl")
	if r.method != http.MethodGet {
		b.WriteString(" -X " + r.method)
	}
	if r.shop {
		b.WriteString(` "$SHOP` + r.path + `" -b cookies -c cookies`) // else the next call has another basket
	} else {
		b.WriteString(` "` + r.base + r.path + `"`)
	}
	if r.token {
		b.WriteString(" \\\n  -H \"Authorization: Bearer $TOKEN\"")
	}
	if v := r.version(); v != "" {
		b.WriteString(" \\\n  -H 'Api-Version: " + v + "'")
	}
	if r.image {
		b.WriteString(" \\\n  -F 'file=@image.png'")
	}
	if r.body != "" {
		b.WriteString(" \\\n  -H 'Content-Type: application/json' \\\n  -d '" +
			strings.ReplaceAll(r.body, "'", `'\''`) + "'")
	}
	return b.String()
}

// javaScript is the request as a module for Node, which has fetch and FormData by itself.
func (r request) javaScript() string {
	var b, headers strings.Builder
	if r.token {
		// Readers copy the source as it stands, so it is indented like one written by hand.
		headers.WriteString("\n    Authorization: `Bearer ${process.env.TOKEN}`,")
	}
	if v := r.version(); v != "" {
		headers.WriteString("\n    'Api-Version': '" + v + "',")
	}
	if r.body != "" {
		headers.WriteString("\n    'Content-Type': 'application/json',")
	}
	if r.image {
		b.WriteString("import { readFile } from 'node:fs/promises';\n\nconst form = new FormData();\n" +
			"form.set('file', new Blob([await readFile('image.png')], { type: 'image/png' }), 'image.png');\n")
	}
	b.WriteString("const response = await fetch(" + r.address("'", "process.env.SHOP + ") + ", {\n  method: '" +
		r.method + "',\n")
	if headers.Len() > 0 {
		b.WriteString("  headers: {" + headers.String() + "\n  },\n")
	}
	if r.body != "" {
		b.WriteString("  body: JSON.stringify(" + strings.ReplaceAll(r.body, "\n", "\n  ") + "),\n")
	}
	if r.image {
		b.WriteString("  body: form,\n")
	}
	b.WriteString("});\nconsole.log(response.status, await response.text());")
	return b.String()
}

// python is the request as a program of Python's standard library. A multipart body is written by hand, because that
// library makes none. An answer of 4xx is an exception there, which the program prints like any other answer.
func (r request) python() string {
	var b strings.Builder
	b.WriteString("import os\nimport urllib.error\nimport urllib.request\n\n")
	data := ""
	switch {
	case r.body != "":
		b.WriteString("body = r'''" + r.body + "'''\n")
		data = ", data=body.encode()"
	case r.image:
		b.WriteString("body = (b'--part\\r\\nContent-Disposition: form-data; name=\"file\"; " +
			"filename=\"image.png\"\\r\\n'\n" +
			"        b'Content-Type: image/png\\r\\n\\r\\n' + open('image.png', 'rb').read() + " +
			"b'\\r\\n--part--\\r\\n')\n")
		data = ", data=body"
	}
	b.WriteString("request = urllib.request.Request(" + r.address("'", "os.environ['SHOP'] + ") + ", method='" +
		r.method + "'" + data + ")\n")
	if r.token {
		b.WriteString("request.add_header('Authorization', 'Bearer ' + os.environ['TOKEN'])\n")
	}
	if v := r.version(); v != "" {
		b.WriteString("request.add_header('Api-Version', '" + v + "')\n")
	}
	if r.body != "" {
		b.WriteString("request.add_header('Content-Type', 'application/json')\n")
	}
	if r.image {
		b.WriteString("request.add_header('Content-Type', 'multipart/form-data; boundary=part')\n")
	}
	b.WriteString("try:\n    response = urllib.request.urlopen(request)\nexcept urllib.error.HTTPError as " +
		"refused:\n    response = refused\n" +
		"print(response.status, response.read().decode())")
	return b.String()
}

// golang is the request as a whole program in Go, with check as its one way to end at an error.
func (r request) golang() string {
	imports, body, before, kind := []string{"fmt", "io", "net/http", "os"}, "nil", "", ""
	switch {
	case r.body != "":
		imports, kind = append(imports, "strings"), `"application/json"`
		before, body = "\tbody := strings.NewReader(`"+r.body+"`)\n", "body"
	case r.image:
		imports, kind, body = []string{"bytes", "fmt", "io", "mime/multipart", "net/http", "os"},
			"form.FormDataContentType()", "&body"
		before = "\tvar body bytes.Buffer\n\tform := multipart.NewWriter(&body)\n\tpart, err := " +
			"form.CreateFormFile(\"file\", \"image.png\")\n" +
			"\tcheck(err)\n\timage, err := " +
			"os.ReadFile(\"image.png\")\n\tcheck(err)\n\tpart.Write(image)\n\tcheck(form.Close())\n"
	}
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"" + strings.Join(imports, "\"\n\t\"") +
		"\"\n)\n\nfunc main() {\n" + before +
		"\trequest, err := http.NewRequest(\"" + r.method + "\", " + r.address(`"`, `os.Getenv("SHOP")+`) + ", " +
		body + ")\n\tcheck(err)\n")
	if r.token {
		b.WriteString("\trequest.Header.Set(\"Authorization\", \"Bearer \"+os.Getenv(\"TOKEN\"))\n")
	}
	if v := r.version(); v != "" {
		b.WriteString("\trequest.Header.Set(\"Api-Version\", \"" + v + "\")\n")
	}
	if kind != "" {
		b.WriteString("\trequest.Header.Set(\"Content-Type\", " + kind + ")\n")
	}
	b.WriteString("\tresponse, err := http.DefaultClient.Do(request)\n\tcheck(err)\n\tdefer response.Body.Close()\n" +
		"\tanswer, err := io.ReadAll(response.Body)\n\tcheck(err)\n\tfmt.Println(response.StatusCode, " +
		"string(answer))\n}\n\n" +
		"func check(err error) {\n\tif err != nil {\n\t\tpanic(err)\n\t}\n}")
	return b.String()
}
