// Package pagetest holds the texts of pages to what they promise.
package pagetest

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/page"
)

// Texts holds the files texts/<code>.json of the package under test: each text is there in each of the languages, and
// code or a template of the package, or of the other folders, says it. A name that stands twice, page.ReadWords and
// Words.With refuse.
func Texts(t *testing.T, languages []page.Language, folders ...string) {
	t.Helper()
	words, keys := page.ReadTexts(os.DirFS(".")), map[string]bool{}
	for _, l := range languages {
		for key := range words[l] {
			keys[key] = true
		}
	}
	require.NotEmpty(t, keys)
	s := sourceOf(t, append(folders, ".")...)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		for _, l := range languages {
			if strings.TrimSpace(words[l][key]) == "" {
				t.Errorf("texts/%s.json lacks %q", l.Code(), key)
			}
		}
		if !s.says(key) {
			t.Errorf("nobody says %q", key)
		}
	}
}

// source is what code and templates name.
type source struct {
	literals map[string]bool // strings of the folders' code, whole and from their last dot on; names in templates
	words    map[string]bool // words in strings of all code: what a name can be made of
	codes    map[string]bool // of faults
}

// says tells whether a text is named as it is, or by two parts of which one stands in the folders' code and the other
// anywhere: "event." before the name of an event, ".new" behind the name of an area. A text that is named as a problem
// is, by its code, is said where that is known.
func (s source) says(key string) bool {
	if s.literals[key] || strings.Contains(key, "_") && s.words[key] {
		return true
	}
	// What is wrong with a field is said by the field's name, in which * stands for any, and the fault's code.
	if field, is := strings.CutPrefix(key, "fault."); is {
		if end := strings.LastIndexByte(field, '.'); end >= 0 && s.codes[field[end+1:]] {
			field = field[:end]
		}
		unknown := func(part string) bool { return part != "*" && !s.words[part] }
		if s.words[field] || strings.Contains(field, "*") && !slices.ContainsFunc(strings.Split(field, "."), unknown) {
			return true
		}
	}
	for i := range key {
		before, behind := key[:i], key[i:]
		if strings.HasSuffix(before, ".") && s.literals[before] && s.words[behind] ||
			(strings.HasPrefix(behind, ".") || behind == "Is") && s.literals[behind] && s.words[before] {
			return true
		}
	}
	return false
}

var (
	inTemplate = regexp.MustCompile(`\[\[([A-Za-z._-]+)\]\]`)
	word       = regexp.MustCompile(`[\w:.-]+`)
	asName     = strings.NewReplacer("[", ".", "]", "") // changed[after] is the text changed.after
)

func sourceOf(t *testing.T, folders ...string) source {
	t.Helper()
	source := source{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, folder := range folders {
		for _, file := range filesOf(t, folder) {
			if strings.HasSuffix(file, ".html") {
				text, err := os.ReadFile(path.Join(folder, file))
				require.NoError(t, err)
				for _, m := range inTemplate.FindAllStringSubmatch(string(text), -1) {
					source.literals[m[1]] = true
				}
				continue
			}
			for _, literal := range stringsOf(t, path.Join(folder, file)) {
				source.literals[literal], source.literals[literal[strings.LastIndex(literal, ".")+1:]] = true, true
			}
		}
	}
	const root = "../.."
	for _, code := range stringsOf(t, path.Join(root, "shared/base/problem/problem.go")) {
		source.codes[code] = true
	}
	for _, file := range filesOf(t, root) {
		if strings.HasSuffix(file, ".go") {
			for _, literal := range stringsOf(t, path.Join(root, file)) {
				for _, w := range word.FindAllString(literal, -1) {
					source.words[w] = true
				}
			}
		}
	}
	return source
}

// filesOf are the code and the templates below a folder.
func filesOf(t *testing.T, folder string) (files []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS(folder), ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if path.Ext(file) == ".html" || path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") {
			files = append(files, file)
		}
		return err
	}))
	return files
}

// stringsOf are the strings in a file of Go.
func stringsOf(t *testing.T, name string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile(name, set.Base(), len(text)), text, nil, 0)
	for {
		_, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return all
		case token.STRING:
			all = append(all, asName.Replace(strings.Trim(literal, "\"`")))
		}
	}
}
