package openapi

import (
	"bytes"
	"encoding/json"
)

// This file lays the document out for who reviews a change of it: what is new takes a line or two for each thing that
// it says, and git finds all other lines again. Lines of braces alone, and lines that every operation has alike, would
// make git match unlike places.

// The most bytes that a line of the document has where its value can be broken. A parameter and a field of a schema may
// be longer: people read each as one thing.
const lineWidth, fieldWidth = 120, 300

// layOut appends a value as JSON. One that fits is one line, and so is an object that only refers to components, like
// the headers of an answer. Any other has one line for each member. name is what it is called, indent begins its last
// line.
//
// json.Indent gives every member a line of its own, however short it is: nobody would find anything in so long a file.
func layOut(b []byte, value any, name, indent string) []byte {
	start, line, width := len(b), bytes.LastIndexByte(b, '\n')+1, lineWidth
	if name == "parameters[]" || name == "properties." {
		width = fieldWidth
	}
	if b = InLine(b, value); len(b)-line < width || onlyReferences(value) {
		return b
	}
	inner := indent + "  "
	switch x := value.(type) {
	case *Object:
		b = append(b[:start], '{')
		for i, member := range x.Names {
			b = append(between(b, i, ","), inner...)
			b = append(InLine(b, member), ": "...)
			// The members of "properties" are the fields of a schema. This name lets their lines be longer (see above).
			if name == "properties" {
				member = "properties."
			}
			b = layOut(b, x.Values[x.Names[i]], member, inner)
		}
		b = append(append(b, indent...), '}')
	case []any:
		b = append(b[:start], '[')
		for i, entry := range x {
			b = append(between(b, i, ","), inner...)
			b = layOut(b, entry, name+"[]", inner)
		}
		b = append(append(b, indent...), ']')
	}
	return b
}

// InLine appends a value as JSON in one line. It leaves <, > and & as they are: nobody reads the document as HTML.
func InLine(b []byte, value any) []byte {
	switch x := value.(type) {
	case *Object:
		b = append(b, '{')
		for i, member := range x.Names {
			b = append(InLine(between(b, i, ", "), member), ": "...)
			b = InLine(b, x.Values[member])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, entry := range x {
			b = InLine(between(b, i, ", "), entry)
		}
		return append(b, ']')
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	// The Encoder is the only way of encoding/json to switch that off. It ends with a line break, which is cut below.
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic("docs: " + err.Error()) // it was read from JSON, or is a text
	}
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}

// between appends what parts the members of a list from each other: nothing before the first.
func between(b []byte, i int, comma string) []byte {
	if i == 0 {
		return b
	}
	return append(b, comma...)
}

// onlyReferences says whether v is an object that does nothing but refer to components.
func onlyReferences(v any) bool {
	o, _ := v.(*Object)
	if o == nil {
		return false
	}
	for _, name := range o.Names {
		if len(o.In(name).Names) != 1 || o.In(name).Text("$ref") == "" {
			return false
		}
	}
	return true
}
