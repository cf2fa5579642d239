package api

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"slices"
	"time"
	"unicode/utf8"

	"eshop/shared/base/problem"

	"github.com/danielgtaylor/huma/v2"
)

// File is a field of a body that holds a file. An operation with such a body takes multipart/form-data, one part for
// each field; its MaxBody is the most bytes of a part.
type File []byte

// binary is the format of a File in schemas.
const binary = "binary"

// Schema describes a file.
func (File) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: binary}
}

// Decoded takes the file of a part.
func (f *File) Decoded(v any) error {
	file, is := v.(File)
	if !is {
		return fmt.Errorf("api: a %T is no file", v)
	}
	*f = file
	return nil
}

// Files is a field that holds several files: a part for each, all of one name.
type Files []File

// Decoded takes the files of parts.
func (f *Files) Decoded(v any) error {
	list, _ := v.([]any)
	for _, file := range list {
		var one File
		if err := one.Decoded(file); err != nil {
			return err
		}
		*f = append(*f, one)
	}
	return nil
}

// hasFile says whether a body has a field that is a File, or Files.
func hasFile(body reflect.Type) bool {
	isFile := func(f reflect.StructField) bool {
		return f.Type == reflect.TypeFor[File]() || f.Type == reflect.TypeFor[Files]()
	}
	return body.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(body), isFile)
}

const (
	maxParts = 1_000    // of a form: a shop's settings have some 700 with 30 ways of delivery and of payment
	formRoom = 64 << 10 // bytes beside the file, for boundaries, the parts' headers and their texts
)

// fileTooLarge is the 413 of a form with a file, with a fault at the file's field: that of the part, "" where it is not
// known, or the only one. Of several nobody knows which one it is.
func (o *operation) fileTooLarge(schema *huma.Schema, part string) *problem.Problem {
	large := tooLarge("file", o.MaxBody)
	var files []string
	for name, s := range schema.Properties {
		if s.Format == binary || s.Items != nil && s.Items.Format == binary {
			files = append(files, name)
		}
	}
	if !slices.Contains(files, part) && len(files) == 1 {
		part = files[0]
	}
	if slices.Contains(files, part) {
		large.Errors = []problem.Fault{{Location: "body." + part, Code: problem.TooBig, Message: "is too large"}}
	}
	return large
}

// readFiles reads a body of multipart/form-data. It is 413 above the body's size or a part's, 415 of any other type,
// 400 unless the body is whole and each part has a name of its own. It does not look at what a part says of its type
// and file name.
//
// raw stands for the parts, whatever their order and what is between them: by it a repeated request is known again,
// though its boundary is another one.
func (o *operation) readFiles(r *http.Request, schema *huma.Schema) (raw []byte, value any, err error) {
	if r.ContentLength > o.MaxBody+formRoom {
		return nil, nil, o.fileTooLarge(schema, "")
	}
	if encoded(r) {
		return nil, nil, noEncoding()
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, nil, &problem.Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Detail: "Send the body as multipart/form-data with a boundary."}
	}
	// One byte more than is allowed shows that there are too many.
	whole := &io.LimitedReader{R: r.Body, N: o.MaxBody + formRoom + 1}
	fields := map[string]any{}
	sums := map[string][]byte{}
	count := 0
	for parts := multipart.NewReader(whole, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		var content []byte
		if err == nil {
			content, err = io.ReadAll(io.LimitReader(part, o.MaxBody+1))
		}
		switch {
		case err == nil && int64(len(content)) > o.MaxBody:
			return nil, nil, o.fileTooLarge(schema, part.FormName())
		case whole.N <= 0:
			return nil, nil, o.fileTooLarge(schema, "")
		case errors.Is(err, errBodiesFull):
			return nil, nil, problem.Unavailable(time.Second)
		case err != nil:
			return nil, nil, malformedForm("it ended before it was complete, or is not what its boundary says")
		case count == maxParts:
			return nil, nil, malformedForm("it has too many parts")
		}
		count++
		name := part.FormName()
		_, twice := fields[name]
		s := schema.Properties[name]
		several := s != nil && s.Items != nil && s.Items.Format == binary
		switch text := string(content); {
		case name == "" || !utf8.ValidString(name):
			return nil, nil, malformedForm("a part has no name")
		case several:
			list, _ := fields[name].([]any)
			fields[name] = append(list, File(content))
		case s != nil && s.Format == binary && !twice:
			fields[name] = File(content)
		case s == nil && !utf8.ValidString(text): // a file under another name: its fault is that of the name
			fields[name] = omitted{}
		case !utf8.ValidString(text):
			return nil, nil, malformedForm("a text is not UTF-8")
		case o.People != nil && !isFile(fields[name]): // a page's checkbox sends two, of which the last one counts
			before, _ := fields[name].([]string)
			fields[name] = append(before, text)
		case twice:
			return nil, nil, malformedForm("a part is given twice")
		// Nobody takes this part: its fault needs no long text.
		case len(text) > maxUnknown && s == nil:
			fields[name] = omitted{}
		default:
			fields[name] = text
		}
		// Its hash stands for the part in raw, which is kept and compared.
		sum := sha256.Sum256(content)
		sums[name] = append(sums[name], sum[:]...)
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, "%q %x\n", name, sums[name])
	}
	return b.Bytes(), fields, nil
}

// isFile says whether a part is one with a file.
func isFile(part any) bool {
	_, is := part.(File)
	return is
}

// malformedForm is the 400 of a form that is not what RFC 7578 allows.
func malformedForm(why string) *problem.Problem {
	return &problem.Problem{Status: http.StatusBadRequest, Code: "malformed_json",
		Detail: "The body is not valid multipart/form-data: " + why + "."}
}
