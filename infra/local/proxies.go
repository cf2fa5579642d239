package local

import (
	"cmp"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the addresses of proxies whose word for where a request comes from is taken.
type Proxies []netip.Prefix

// proxiesOf reads addresses and ranges with commas between.
func proxiesOf(text string) (all Proxies, err error) {
	for one := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		prefix, err := netip.ParsePrefix(one)
		if a, single := netip.ParseAddr(one); single == nil && a.Zone() == "" {
			a = a.Unmap()
			prefix, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("TRUSTED_PROXIES are addresses and ranges with commas between, like "+
				"127.0.0.1,10.0.0.0/8, and not %q", one)
		}
		all = append(all, prefix.Masked())
	}
	return all, nil
}

// has says whether the address is one of the proxies'.
func (all Proxies) has(a netip.Addr) bool {
	return slices.ContainsFunc(all, func(p netip.Prefix) bool { return p.Contains(a) })
}

// told is what a request says of the way that it came; "" where it does not.
type told struct {
	from        netip.Addr
	host, proto string
}

// of is what a request that came from a proxy, peer, is told to be. Of a chain of proxies each adds an entry, whom it
// was asked by. The entries are read from the right, where the proxy next to us wrote, and the first whose address is
// no proxy's, or is none, is the last one read: what stands left of it anybody may have written. Host and scheme are
// those of the leftmost entry that was read.
func (all Proxies) of(r *http.Request, peer netip.Addr) told {
	is := told{from: peer}
	for hop := range hops(r.Header) {
		is.host, is.proto = cmp.Or(hop.host, is.host), cmp.Or(hop.proto, is.proto)
		if !hop.from.IsValid() {
			break
		}
		if is.from = hop.from; !all.has(hop.from) {
			break
		}
	}
	return is
}

// hops are the entries of a request's headers, the last one first. Proxies that send X-Forwarded-For send it always,
// and may pass on a Forwarded of whoever asks them; so that one counts only where there is no X-Forwarded- header.
func hops(h http.Header) iter.Seq[told] {
	from, host, proto := h["X-Forwarded-For"], h["X-Forwarded-Host"], h["X-Forwarded-Proto"]
	if from == nil && host == nil && proto == nil {
		return forwarded(h["Forwarded"])
	}
	return func(yield func(told) bool) {
		// The proxy next to us says the host and the scheme; others have handed them on to it.
		first := told{host: last(host), proto: last(proto)}
		for entry := range backwards(from, ',') {
			first.from = addressOf(entry)
			if !yield(first) {
				return
			}
			first = told{}
		}
		if from == nil {
			yield(first)
		}
	}
}

// forwarded are the elements of a header Forwarded (RFC 7239), the last one first.
func forwarded(values []string) iter.Seq[told] {
	return func(yield func(told) bool) {
		for element := range backwards(values, ',') {
			var is told
			for pair := range backwards([]string{element}, ';') {
				name, value, _ := strings.Cut(pair, "=")
				value = unquoted(strings.TrimSpace(value))
				switch strings.ToLower(strings.TrimSpace(name)) {
				case "for":
					is.from = addressOf(value)
				case "host":
					is.host = value
				case "proto":
					is.proto = value
				}
			}
			if !yield(is) {
				return
			}
		}
	}
}

// backwards are the parts of a header's values between separators, from the last to the first. A separator in quotation
// marks is none.
func backwards(values []string, separator byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, value := range slices.Backward(values) {
			quoted, end := false, len(value)
			for i := len(value) - 1; i >= -1; i-- {
				switch {
				case i >= 0 && value[i] == '"':
					quoted = !quoted
				case i < 0 || value[i] == separator && !quoted:
					if !yield(strings.TrimSpace(value[i+1 : end])) {
						return
					}
					end = max(i, 0)
				}
			}
		}
	}
}

// last is the last part of a header's values.
func last(values []string) string {
	for part := range backwards(values, ',') {
		return part
	}
	return ""
}

// unquoted is a text without the quotation marks around it.
func unquoted(text string) string {
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		return text[1 : len(text)-1]
	}
	return text
}

// addressOf is the IP address in an entry, which may have a port; the zero one if there is none, as in unknown or
// _hidden.
func addressOf(entry string) netip.Addr {
	if at, err := netip.ParseAddrPort(entry); err == nil {
		return at.Addr().Unmap().WithZone("")
	}
	if len(entry) > 1 && entry[0] == '[' && entry[len(entry)-1] == ']' {
		entry = entry[1 : len(entry)-1]
	}
	a, _ := netip.ParseAddr(entry)
	return a.Unmap().WithZone("")
}

// behind answers requests as what trusted proxies tell of them: from the address, at the host, by the scheme (in URL).
// Everything behind it takes the connection's address and the host for the visitor's.
func (s *Server) behind(h http.Handler) http.Handler {
	trusted := s.settings.TrustedProxies
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, at := *r, *r.URL
		asked.URL, at.Scheme = &at, "" // whoever asks for a whole address could write one there
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		if from := peer.Addr().Unmap().WithZone(""); err == nil && trusted.has(from) {
			is := trusted.of(r, from)
			asked.RemoteAddr, at.Scheme = net.JoinHostPort(is.from.String(), "0"), strings.ToLower(is.proto)
			asked.Host = cmp.Or(is.host, r.Host)
		}
		h.ServeHTTP(w, &asked)
	})
}
