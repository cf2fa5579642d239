package docs

import (
	"html"
	"strings"
)

// changes is the changelog as an Atom feed (RFC 4287): an entry for each day. base is the platform's address.
func changes(base string) []byte {
	at := base + "/docs/changelog"
	days := strings.Split(source("changelog.md"), "\n## ")[1:]
	var b strings.Builder
	b.WriteString("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n" +
		"<title>E-shop platform API</title>\n<id>" + html.EscapeString(at) + "</id>\n" +
		"<author><name>E-shop platform</name></author>\n" +
		`<link rel="self" href="` + html.EscapeString(at+".atom") + "\"/>\n")
	for i, day := range days {
		date, text, _ := strings.Cut(day, "\n")
		moment := "<updated>" + date + "T00:00:00Z</updated>\n"
		if i == 0 {
			b.WriteString(moment) // of the whole feed
		}
		// What a reader shows lies elsewhere, so its links lead here.
		shown := strings.ReplaceAll(convert(anchored, text), `href="/`, `href="`+base+"/")
		here := html.EscapeString(at + "#" + date)
		b.WriteString("<entry>\n<title>" + date + "</title>\n<id>" + here + "</id>\n<link href=\"" + here + "\"/>\n" +
			moment + "<content type=\"html\">" + html.EscapeString(shown) + "</content>\n</entry>\n")
	}
	return []byte(b.String() + "</feed>\n")
}
