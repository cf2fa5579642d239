package delivery_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"eshop/shared/base/egress"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/webhook"
)

// zone is a name server: for each name its answers in turn, the last for ever, each a list of addresses, or of names
// and the addresses of the last of them.
type zone struct {
	mu      sync.Mutex
	answers map[string][][]string
	asked   map[string]int
}

// resolver asks the zone as the platform asks its name server: over the wire, CNAMEs followed.
func (z *zone) resolver(t *testing.T) *net.Resolver {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	go func() {
		for b := make([]byte, 1500); ; {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			if answer := z.answer(b[:n]); answer != nil {
				_, _ = c.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", c.LocalAddr().String())
	}}
}

func (z *zone) answer(question []byte) []byte {
	var p dnsmessage.Parser
	h, err := p.Start(question)
	if err != nil {
		return nil
	}
	q, err := p.Question()
	if err != nil {
		return nil
	}
	h.Response, h.RecursionAvailable = true, true
	m := dnsmessage.Message{Header: h, Questions: []dnsmessage.Question{q}}
	owner := q.Name
	for _, one := range z.next(strings.TrimSuffix(q.Name.String(), "."), q.Type) {
		head := dnsmessage.ResourceHeader{Name: owner, Class: dnsmessage.ClassINET, Type: q.Type}
		a, err := netip.ParseAddr(one)
		switch {
		case err != nil:
			head.Type, owner = dnsmessage.TypeCNAME, dnsmessage.MustNewName(one+".")
			m.Answers = append(m.Answers,
				dnsmessage.Resource{Header: head, Body: &dnsmessage.CNAMEResource{CNAME: owner}})
		case a.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers,
				dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	b, err := m.Pack()
	if err != nil {
		return nil
	}
	return b
}

// next is the name's answer to its next question of the type.
func (z *zone) next(name string, of dnsmessage.Type) []string {
	z.mu.Lock()
	defer z.mu.Unlock()
	all := z.answers[name]
	if len(all) == 0 {
		return nil
	}
	at := fmt.Sprint(name, of)
	n := min(z.asked[at], len(all)-1)
	z.asked[at]++
	return all[n]
}

// connects listens on all of loopback's port and counts who connects.
func connects(t *testing.T) (port string, n *atomic.Int64) {
	n = &atomic.Int64{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, _ = net.SplitHostPort(l.Addr().String())
	all := []net.Listener{l}
	if six, err := net.Listen("tcp", "[::1]:"+port); err == nil {
		all = append(all, six)
	}
	for _, l := range all {
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				n.Add(1)
				c.Close()
			}
		}()
	}
	return port, n
}

// TestNoAddressOfTheCorpusIsConnected delivers to receivers that were registered before their addresses led inside: by
// what is spelt, by what a name server answers, and by what it answers the second time.
func TestNoAddressOfTheCorpusIsConnected(t *testing.T) {
	z := &zone{asked: map[string]int{}, answers: map[string][][]string{
		"loopback.example.cz":  {{"127.0.0.1"}},
		"six.example.cz":       {{"::1"}},
		"mapped.example.cz":    {{"::ffff:127.0.0.1"}},
		"nat64.example.cz":     {{"64:ff9b::7f00:1"}},
		"6to4.example.cz":      {{"2002:7f00:1::1"}},
		"zero.example.cz":      {{"0.0.0.0"}},
		"zero6.example.cz":     {{"::"}},
		"link.example.cz":      {{"169.254.7.7", "fe80::1"}},
		"metadata.example.cz":  {{"169.254.169.254"}},
		"metadata6.example.cz": {{"fd00:ec2::254"}},
		"private.example.cz":   {{"10.0.0.1"}},
		"mixed.example.cz":     {{"8.8.8.8", "127.0.0.1"}},
		"mixed6.example.cz":    {{"8.8.8.8", "::1"}},
		"cname.example.cz":     {{"inside.example.cz", "127.0.0.1"}},
		"chain.example.cz":     {{"a.example.cz", "b.example.cz", "localhost", "127.0.0.1", "::1"}},
		"rebinds.example.cz":   {{"8.8.8.8"}, {"127.0.0.1"}},
		"recnames.example.cz":  {{"8.8.8.8"}, {"inside.example.cz", "127.0.0.1", "::1"}},
	}}
	hosts := []string{"127.0.0.1", "localhost", "x.localhost", "localhost.", "[::1]", "[::ffff:127.0.0.1]",
		"[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "0.0.0.0", "[::]", "127.1",
		"2130706433", "0x7f000001", "0177.0.0.1", "①②⑦.0.0.1", "１２７.0.0.1", "127。0。0。1", "169.254.169.254",
		"169.254.7.7", "[fe80::1]", "[fd00:ec2::254]", "10.0.0.1"}
	for name := range z.answers {
		hosts = append(hosts, name)
	}
	rules := egress.Rules{Resolver: z.resolver(t)}
	for _, name := range []string{"rebinds.example.cz", "recnames.example.cz"} {
		require.NoError(t, rules.CheckResolves(t.Context(), "https://"+name+"/"), "as it was registered")
	}
	port, connected := connects(t)
	w := newWorld(t, func(p *host.Parts) { p.Names, p.Environment = rules.Resolver, "production" })
	a := w.install("shop", permission.ReadCustomers)
	for _, name := range hosts {
		w.receiver(a, "https://"+name+":"+port+"/hook")
	}
	w.tell(w.change("shop", customer("c")))
	w.run()
	rows := w.rows(a)
	require.Len(t, rows, len(hosts))
	for _, row := range rows {
		attempts, err := webhook.AttemptsOf(&row)
		require.NoError(t, err)
		require.Len(t, attempts, 1)
		require.Equal(t, webhook.BadAddress, attempts[0].Error)
		require.Zero(t, attempts[0].Status)
	}
	require.Zero(t, connected.Load())
	z.mu.Lock()
	defer z.mu.Unlock()
	for name := range z.answers {
		require.NotZero(t, z.asked[name+"TypeA"], "%s was asked for", name)
	}
}
