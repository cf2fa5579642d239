package docs

import (
	"embed"
	"path"
	"regexp"
	"strings"

	"eshop/functions/docs/openapi"
	"eshop/shared/api"
)

// guides are the pages for authors of add-ons and for operators. They are Markdown, readable where they lie. A
// paragraph that is nothing but a link to a program's source is shown as that source.
//
//go:embed begin.md conventions.md webhooks.md sync.md import-a-file.md mail.md frontend.md cli.md developer.md
//go:embed changelog.md one-machine.md operator.md operations.md serverless.md scale.md performance.md reliability.md
var guides embed.FS

// programs are for readers to copy, in several languages: receivers take and verify webhooks, frameworks hand webhooks
// on to a receiver, installs get tokens, syncs keep a copy of a shop, imports bring in a file, mails mail
// a shop's customers. Their tests run them.
//
//go:embed receivers frameworks installs syncs imports mails
var programs embed.FS

// heading matches the heading of a guide's part, program a paragraph that is nothing but a link to a program.
var (
	heading = regexp.MustCompile(`(?m)^## (.+)$`)
	program = regexp.MustCompile(`(?m)^\[([^\]]+)\]\(((?:receivers|frameworks|installs|syncs|imports|mails)/[^)]+)\)$`)
)

// guide writes a page from a Markdown file. On the page a table of contents comes behind the title.
func (c *content) guide(name, base string) {
	title, text, _ := strings.Cut(addressed(source(name), base), "\n\n")
	c.writeAnchored(title)
	var parts strings.Builder
	for _, p := range heading.FindAllStringSubmatch(text, -1) {
		parts.WriteString("- " + link(p[1], "#"+anchor(p[1])) + "\n")
	}
	c.frame(contents + toHTML(parts.String()) + "</nav>\n")
	at := 0
	for _, m := range program.FindAllStringSubmatchIndex(text, -1) {
		c.writeAnchored(text[at:m[0]])
		file := text[m[4]:m[5]]
		program := string(openapi.Must(programs.ReadFile(file)))
		c.fold(text[m[2]:m[3]]+": `"+path.Base(file)+"`", fenced("", program))
		at = m[1]
	}
	c.writeAnchored(text[at:])
}

// addressed is a guide as it is served: its calls go to this platform, whose address a file writes as $BASE, and ask
// for the version that the pages describe. The figures of what was run stand where their file is linked to.
func addressed(text, base string) string {
	const authorized = `-H "Authorization: Bearer $TOKEN"`
	return strings.NewReplacer("$BASE", base, "[Figures](evidence.json)", evidence(),
		authorized, authorized+` -H "Api-Version: `+api.Newest().Name+`"`).Replace(text)
}

// source is the Markdown of a guide.
func source(name string) string { return string(openapi.Must(guides.ReadFile(name))) }

// contents begins a list of links to a page's parts.
const contents = `<nav class="contents" aria-label="On this page">` + "\n"
