package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"io"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/base/problem"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// omitted stands in a decoded body for a value that was too long to keep. No schema takes it, and no fault repeats it.
type omitted struct{}

// maxUnknown is how many bytes a value may have that the schema does not take, and still be kept for its fault.
const maxUnknown = 1_000

// decoder decodes one body, numbers as json.Number. It keeps what the schema takes. Of a list that is too long, and of
// unknown fields, it keeps only as much as a fault shows. So no body takes more memory than a valid one of its length,
// whatever it is made of.
type decoder struct {
	*jsontext.Decoder
	ctx      context.Context
	registry huma.Registry
	body     []byte
	values   int      // read so far
	names    []extent // of the fields of the objects that are open, those of the innermost last
	hashes   []uint64 // of these names
}

// extent is where something stands in the body.
type extent struct{ from, to int32 }

// seed is for the hashes of names, and differs in each process: nobody can send names that collide.
var seed = maphash.MakeSeed()

// decode reads JSON by the schema. As malformed_json it refuses what encoding/json lets pass, too: keys given twice,
// bad UTF-8, lone surrogates. It ends with the context's error when that is over.
func decode(ctx context.Context, registry huma.Registry, s *huma.Schema, body []byte) (any, error) {
	read := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true)) // fields finds them
	d := decoder{Decoder: read, ctx: ctx, registry: registry, body: body}
	v, err := d.value(s)
	if err == nil {
		if _, err = d.ReadToken(); err == io.EOF {
			return v, nil
		}
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil, err
	case err == nil || err == io.EOF:
		err = errors.New("one value is expected")
	}
	return nil, &problem.Problem{Status: http.StatusBadRequest, Code: "malformed_json",
		Detail: "The body is not valid JSON: " + complaint(err) + "."}
}

// value decodes the next value by its schema: an object with fields of any name as its JSON. What has no schema, or
// another type than its schema, is bounded by unknown.
func (d *decoder) value(s *huma.Schema) (v any, err error) {
	s = resolve(d.registry, s)
	switch kind := d.PeekKind(); {
	case s != nil && kind == '{' && s.AdditionalProperties == true:
		from := d.InputOffset()
		err := d.skip()
		return json.RawMessage(d.raw(from)), err
	case s != nil && kind == '{' && s.Type == huma.TypeObject:
		return d.object(s)
	case s != nil && kind == '[' && s.Type == huma.TypeArray:
		return d.list(s)
	case s == nil, kind == '{', kind == '[':
		return d.unknown()
	}
	return d.scalar()
}

// object decodes an object. Of fields that the schema does not have, it keeps as many as can become faults.
func (d *decoder) object(s *huma.Schema) (any, error) {
	object, unknown := map[string]any{}, 0
	return object, d.fields(func(name []byte) (err error) {
		known := s.Properties[string(name)]
		if known == nil {
			unknown++
		}
		// No more of them can become faults, so no more are kept.
		if known == nil && unknown > problem.MaxFaults {
			return d.skip()
		}
		field := string(name)
		object[field], err = d.value(known)
		return err
	})
}

// list decodes a list up to its most entries, and skips the rest. A list that is too long keeps what a fault would
// repeat, if that is short.
func (d *decoder) list(schema *huma.Schema) (any, error) {
	list, from, more := []any{}, d.InputOffset(), false
	err := d.entries(func() error {
		if more = len(list) > *schema.MaxItems; more {
			return d.skip()
		}
		x, err := d.value(schema.Items)
		list = append(list, x)
		return err
	})
	if err != nil || !more {
		return list, err
	}
	if raw := d.raw(from); len(raw) <= maxUnknown {
		return parse(raw)
	}
	list[*schema.MaxItems] = omitted{} // a fault does not repeat the beginning for all of it
	return list, nil
}

// raw is what was read since the offset.
func (d *decoder) raw(from int64) []byte {
	return bytes.TrimLeft(d.body[from:d.InputOffset()], ":, \t\r\n")
}

// unknown is a value that the schema does not take: kept if it is short, because a fault repeats it.
func (d *decoder) unknown() (any, error) {
	from := d.InputOffset()
	if err := d.skip(); err != nil {
		return nil, err
	}
	raw := d.raw(from)
	if len(raw) > maxUnknown {
		return omitted{}, nil
	}
	return parse(raw)
}

// skip passes over a value.
func (d *decoder) skip() error {
	switch d.PeekKind() {
	case '{':
		return d.fields(d.skipField)
	case '[':
		return d.entries(d.skip)
	}
	_, err := d.ReadToken()
	return err
}

// skipField passes over a field.
func (d *decoder) skipField([]byte) error { return d.skip() }

// fields reads an object, of each field the value by read. No two of its fields may have one name.
func (d *decoder) fields(read func(name []byte) error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	first := len(d.names)
	for d.PeekKind() != '}' {
		name, err := d.field()
		if err == nil {
			err = read(name)
		}
		if err != nil {
			return err
		}
	}
	if err := d.distinct(first); err != nil {
		return err
	}
	d.names, d.hashes = d.names[:first], d.hashes[:first]
	_, err := d.ReadToken()
	return err
}

// field reads the name of a field.
func (d *decoder) field() ([]byte, error) {
	raw, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	to, text := d.InputOffset(), unescaped(raw)
	d.names = append(d.names, extent{int32(to) - int32(len(raw)), int32(to)})
	d.hashes = append(d.hashes, maphash.Bytes(seed, text))
	return text, d.over()
}

// unescaped is the text of a string that is valid JSON.
func unescaped(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return text
}

// distinct wants the names from the first on to differ from one another.
func (d *decoder) distinct(first int) error {
	// Sorted, equal hashes stand side by side. Only then are the names themselves looked for, for the message.
	hashes := d.hashes[first:]
	slices.Sort(hashes)
	for i := 1; i < len(hashes); i++ {
		if hashes[i] != hashes[i-1] {
			continue
		}
		for _, n := range d.names[first:] {
			if raw := d.body[n.from:n.to]; maphash.Bytes(seed, unescaped(raw)) == hashes[i] {
				return errors.New("the key " + string(raw) + " is given twice")
			}
		}
	}
	return nil
}

// entries reads a list, each entry by read.
func (d *decoder) entries(read func() error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		err := d.over()
		if err == nil {
			err = read()
		}
		if err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// valuesBetweenLooks is after how many values the decoder looks whether the request is over: often enough that a body
// of small values is left soon, and so seldom that it costs nothing.
const valuesBetweenLooks = 256

// over is the context's error, looked for once in a while.
func (d *decoder) over() error {
	if d.values++; d.values%valuesBetweenLooks == 0 {
		return d.ctx.Err()
	}
	return nil
}

// scalar decodes a string, number, boolean or null.
func (d *decoder) scalar() (any, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(whole(token.String())), nil
	}
	return nil, nil
}

// whole is a number of at most 30 characters that has a point or an exponent and still is an integer as integers are
// written, 5.0 and 1e2 as 5 and 100: JSON Schema, and so the OpenAPI document, makes no difference between them. Any
// other number stays as it is.
func whole(n string) string {
	const most = 30 // more than any integer here has: making one of 1e999999999 would take all memory
	if !strings.ContainsAny(n, ".eE") || len(n) > most {
		return n
	}
	if _, exponent, has := strings.Cut(strings.ToLower(n), "e"); has {
		if e, err := strconv.Atoi(exponent); err != nil || max(e, -e) > most {
			return n
		}
	}
	r, ok := new(big.Rat).SetString(n)
	if !ok || !r.IsInt() {
		return n
	}
	return r.Num().String()
}

// complaint is what the parser says, without its package's name and no longer than it takes to say it.
func complaint(err error) string {
	return cut(strings.TrimPrefix(err.Error(), "jsontext: "), problem.MaxLocation)
}

// parse decodes JSON with its numbers as they are written.
func parse(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}
