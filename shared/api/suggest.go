package api

import "bytes"

// maxSuggestName is how many bytes a name may have for which a near one is looked for: no name of ours is longer, and
// looking takes the product of two lengths.
const maxSuggestName = 40

// Suggest finds which of our names somebody may have meant by an unknown one; "" if none is near. A name is near if it
// differs in case or in marks between words only, if it is one letter off (a long one two), if ours is that name with
// Id or Ids behind it, or if other APIs call the same thing so. It allocates nothing, so that a body of unknown names
// has a cheap answer.
func Suggest[V any](name string, ours map[string]V) string {
	if len(name) > maxSuggestName {
		return ""
	}
	var a, b [maxSuggestName]byte
	meant := letters(&a, name)
	most, found := 1, ""
	if len(meant) > 5 {
		most = 2
	}
	for n := range ours {
		known := letters(&b, n)
		d := distance(meant, known, most)
		rest, begins := bytes.CutPrefix(known, meant)
		if begins && len(meant) > 0 && (string(rest) == "id" || string(rest) == "ids") {
			d = most
		}
		if d < most || d == most && (found == "" || n < found) {
			most, found = d, n
		}
	}
	if found != "" {
		return found
	}
	for _, other := range synonyms[string(meant)] {
		if _, is := ours[other]; is {
			return other
		}
	}
	return ""
}

// synonyms are names that other APIs have for our parameters of collections, with letters and digits only.
var synonyms = map[string][]string{
	"limit": {"itemsPerPage"}, "perpage": {"itemsPerPage"}, "pagesize": {"itemsPerPage"}, "size": {"itemsPerPage"},
	"count": {"itemsPerPage"}, "first": {"itemsPerPage"}, "top": {"itemsPerPage"}, "maxresults": {"itemsPerPage"},
	"page": {"cursor"}, "offset": {"cursor"}, "skip": {"cursor"}, "after": {"cursor"}, "startingafter": {"cursor"},
	"pageinfo": {"cursor"}, "pagetoken": {"cursor"}, "nextcursor": {"cursor"},
	"sort": orders, "sortby": orders, "order": orders, "orderby": orders,
	"since": sinces, "updatedafter": sinces, "updatedsince": sinces, "updatedatmin": sinces, "modifiedsince": sinces,
}

var (
	orders = []string{"order[changed]", "order[created]"}
	sinces = []string{"changed[after]", "created[after]", "from"}
)

// letters are a name's letters and digits of ASCII, in lower case, as far as there is room.
func letters(room *[maxSuggestName]byte, name string) []byte {
	n := 0
	for i := 0; i < len(name) && n < len(room); i++ {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			room[n] = c
			n++
		}
	}
	return room[:n]
}

// distance is how many letters must be put in, taken out, replaced or exchanged with their neighbour to make b of a;
// more than most when it is more than that, or when so many would leave nothing of the shorter one.
func distance(a, b []byte, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) > most || min(len(a), len(b)) <= most {
		return most + 1
	}
	var before, row, next [maxSuggestName + 1]int
	for j := range next {
		next[j] = j
	}
	for i := range a {
		before, row = row, next
		next[0] = i + 1
		for j := range b {
			replaced := row[j]
			if a[i] != b[j] {
				replaced++
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, replaced)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
	}
	return next[len(b)]
}
