package docs

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"eshop/events"
	"eshop/functions/docs/openapi"
)

// entry is one thing that the search box finds: its kind, its title, its address, and the words by which it is found.
type entry struct {
	Kind  string `json:"kind"`
	Title string `json:"title"`
	At    string `json:"at"`
	Words string `json:"words"`
}

// ranked is an entry with what moves it up or down in the results: what partners call it elsewhere, and whether it is
// of a page that comes late.
type ranked struct {
	entry
	Also []string `json:"also,omitempty"`
	Late bool     `json:"late,omitempty"`
}

// synonyms are what partners type who know other platforms, by the address of what answers it. The singular will do.
var synonyms = map[string][]string{
	"/docs/cli#webhooks-on-your-machine":               {"ngrok", "tunnel", "nat", "localhost"},
	"/docs/cleanup-orders#createCleanupOrder":          {"uninstall"},
	"/docs/conventions#limits":                         {"throttling", "throttle", "quota", "rate limit"},
	"/docs/conventions#requests":                       {"cors"},
	"/docs/conventions#versions":                       {"sdk", "client library"},
	"/docs/customers#deleteCustomer":                   {"gdpr", "erasure", "right to be forgotten"},
	"/docs/developer#a-test-shop":                      {"sandbox", "test mode"},
	"/docs/import-a-file#import-a-file":                {"bulk import", "bulk create"},
	"/docs/orders#changeOrder":                         {"cancel order", "refund"},
	"/docs/products-in-batches#changeProductsBasic":    {"bulk"},
	"/docs/products-in-batches#changeProductsPrices":   {"update price", "bulk price"},
	"/docs/products-in-batches#changeProductsStock":    {"update stock", "bulk stock", "inventory"},
	"/docs/sync#notes-of-your-own":                     {"metafield", "metadata", "custom field"},
	"/docs/webhooks#come-back-after-being-away":        {"event retention", "retention", "missed webhook"},
	"/docs/webhooks#handle-each-webhook-once":          {"ordering", "duplicate webhook", "deduplication"},
	"/docs/webhooks#system-webhooks-and-install-codes": {"oauth"},
	"/docs/webhooks#verify":                            {"allowlist", "whitelist", "source ip", "ip address"},
	"/docs/webhooks#when-you-are-down":                 {"retry", "retries", "downtime", "backoff", "parked"},
}

// late are the beginnings of addresses that come last: what has been, and measurements.
var late = []string{"/docs/changelog#", "/docs/performance#", "/docs/reliability#"}

// verbs are what an operation's method is called, beside what its title says.
var verbs = map[string]string{"GET": "get fetch", "POST": "add", "PATCH": "update edit", "DELETE": "remove"}

// index is what the search box looks in: operations, parts of guides, headers, events, errors, faults, and the fields
// of operations' parameters and bodies (each field once for a page). It is one file of JSON, which the script loads
// when the reader first searches, so that it delays no page.
func (r reader) index(sections []section) []byte {
	var all, fields []entry
	for _, section := range sections {
		// A page has a field like `name` in many operations. The first one is enough to find it.
		seen := map[string]bool{}
		for _, o := range section.Operations {
			at := address(section.Name) + "#" + o.ID
			all = append(all, entry{"operation", o.Summary, at,
				strings.Join([]string{o.Method, o.Path, o.ID, o.Permission, o.Doc, verbs[o.Method]}, " ")})
			for _, f := range o.fields() {
				if !seen[f.Name] {
					seen[f.Name] = true
					fields = append(fields, entry{"field", f.Name, at, section.Name + ": " + o.Summary})
				}
			}
		}
	}
	// Guides are found by their parts, each with its words.
	for _, p := range partsWith(nil) {
		for _, g := range p.pages {
			if g.file != "" {
				all = append(all, chapters(g)...)
			}
		}
	}
	for _, h := range openapi.WebhookHeaders(events.ProductChange) {
		h := h.(*openapi.Object)
		all = append(all, entry{"header", h.Text("name"), "/docs/webhooks#what-a-webhook-holds",
			"of webhooks: " + h.Text("description")})
	}
	for _, h := range limitRows() {
		all = append(all, entry{"header", h.Name, "/docs#headers", "of answers: " + h.Doc})
	}
	for _, e := range events.Sent {
		all = append(all, entry{"event", string(e), "/docs/events#" + string(e), openapi.EventDoc(e)})
	}
	for _, c := range openapi.Codes {
		all = append(all, entry{"error", c.Name, "/docs/errors#" + c.Name, c.Means})
	}
	for _, c := range openapi.FaultCodes {
		all = append(all, entry{"fault", c.Name, "/docs/errors#fault-" + c.Name, c.Means})
	}
	// Fields come last: who searches "stock" wants the operation first.
	all = append(all, fields...)
	finds := make([]ranked, len(all))
	for i, e := range all {
		e.Words = plain(e.Words)
		isLate := slices.ContainsFunc(late, func(page string) bool { return strings.HasPrefix(e.At, page) })
		finds[i] = ranked{e, synonyms[e.At], isLate}
	}
	return openapi.Must(json.Marshal(finds))
}

// chapters are the parts of a guide, each with its heading and all its words.
func chapters(page sitePage) (all []entry) {
	code := false
	for line := range strings.SplitSeq(source(page.file), "\n") {
		fence := strings.HasPrefix(line, "```")
		switch last := len(all) - 1; {
		case fence:
			code = !code
		case code: // it is left out
		case strings.HasPrefix(line, "#"):
			title := strings.TrimLeft(line, "# ")
			all = append(all, entry{"guide", title, page.at + "#" + anchor(title), page.name + ":"})
		default: // a guide begins with its heading, so there is an entry to add the words to
			all[last].Words += "\n" + line
		}
	}
	return all
}

// linked matches a Markdown link, ruled what else is no word: marks of code and stress, and the line below a table's
// head.
var (
	linked = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)
	ruled  = regexp.MustCompile("`|\\*\\*|(?m)^\\|[-|]+\\|$")
)

// plain is Markdown as one line of words, for the index.
func plain(markdown string) string {
	text := ruled.ReplaceAllString(linked.ReplaceAllString(markdown, "$1"), "")
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "|", " ")), " ")
}

// fields are all that an operation takes and answers.
func (o operation) fields() []field {
	all := slices.Concat(o.Parameters, o.Body)
	for _, a := range o.Answers {
		all = append(all, a.Fields...)
	}
	return all
}
