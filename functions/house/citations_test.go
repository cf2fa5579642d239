package house_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// contract is what the platform promises. A comment cites a rule of it by the heading that it stands under, in the form
// contract, "<heading>"; of several headings the last two are joined by "and".
const contract = "shared/CONTRACT.md"

var (
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	citation = regexp.MustCompile(`contract, ("[^"]+"(?:(?:, | and )"[^"]+")*)`)
	quoted   = regexp.MustCompile(`"([^"]+)"`)

	// elsewhere is what else may look like a source: papers that are not in the repository, sections by their numbers,
	// which move (an RFC's do not), and the contract in another form.
	elsewhere = regexp.MustCompile(
		`\(contract, [^"]|(?:^|[^-\w])specification\b|behaviour\.md|\barchitecture(?:,|'s)|of the architecture|§|(?i:\bsections? \d)`)
	ofRFC = regexp.MustCompile(`RFC \w+,? \(?section [\d.]+`)

	// marks are what begins a line of a comment, and what ends it.
	marks = regexp.MustCompile(`\s*\n\s*(?://)?\s*`)
)

// TestAHeadingOfTheContractIsOne: a citation would not say which of two it means.
func TestAHeadingOfTheContractIsOne(t *testing.T) {
	all := headings(t)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(all))), len(all))
}

// TestACommentCitesTheContractByItsHeadings walks all Go and Markdown of the project: comments cite headings that the
// contract has, and nothing that whoever joins cannot look up.
func TestACommentCitesTheContractByItsHeadings(t *testing.T) {
	there, found := headings(t), 0
	root := os.DirFS("../..")
	require.NoError(t, fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || file != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !slices.Contains([]string{".go", ".md"}, path.Ext(file)) ||
			path.Base(file) == "citations_test.go" {
			return err
		}
		source, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		text := marks.ReplaceAllString(string(source), " ")
		for _, cited := range citation.FindAllStringSubmatch(text, -1) {
			found++
			for _, h := range quoted.FindAllStringSubmatch(cited[1], -1) {
				if h[1] != "<heading>" && !slices.Contains(there, h[1]) {
					t.Errorf("%s cites %s: %s has no such heading", file, h[0], contract)
				}
			}
		}
		text = ofRFC.ReplaceAllString(text, "")
		for _, at := range elsewhere.FindAllStringIndex(text, -1) {
			t.Errorf("%s cites what is not there: …%s", file, text[max(0, at[0]-60):min(len(text), at[1]+30)])
		}
		return nil
	}))
	require.Greater(t, found, 200, "comments cite the contract in another form")
}

// headings are those of the contract.
func headings(t *testing.T) (all []string) {
	text, err := os.ReadFile("../../" + contract)
	require.NoError(t, err)
	for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
		all = append(all, h[1])
	}
	return all
}
