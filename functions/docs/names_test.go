package docs_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/record/field"
	"eshop/shared/shop"
)

// TestEveryShopsNamesResolve makes the DNS entries that the guide to operations lists, in a name server, and asks it
// for the names of ten thousand shops and of their admins.
func TestEveryShopsNamesResolve(t *testing.T) {
	operations, err := os.ReadFile("operations.md")
	require.NoError(t, err)
	_, entries, _ := strings.Cut(string(operations), "These four are all entries")
	entries = strings.Split(entries, "```")[1]
	require.Equal(t, 4, strings.Count(entries, "CNAME"))
	entries = strings.NewReplacer("<Edge>", "edge.test", "…", "").Replace(entries)
	// What the guide warns of, beside it.
	server := nameServer(t, entries+"_dmarc.rooibos.example.com. TXT \"v=DMARC1\"\nedge.test. A 192.0.2.1\n")

	finds := func(name string) bool {
		addresses, err := server.LookupNetIP(t.Context(), "ip4", name+".")
		return err == nil && slices.Equal(addresses, []netip.Addr{netip.MustParseAddr("192.0.2.1")})
	}
	host := func(address string) string { return strings.TrimPrefix(address, "https://") }
	places := shop.Places{Host: "example.com", Own: shop.Ready}
	for i := range 10_000 {
		s := shop.Shop{Fields: shop.Fields{Domain: field.Domain(fmt.Sprintf("shop%d.example.com", i))}}
		s.ID = fmt.Sprintf("01KYFXV00000000000000%05d", i)
		if i%2 == 1 {
			s.Domain = "shop.example.org" // a name of its own, which is not ready
		}
		for _, name := range []string{host(places.Website(s)), host(places.Admin(s))} {
			require.True(t, finds(name), name)
		}
	}
	require.True(t, finds("api.example.com"))
	require.False(t, finds("rooibos.example.com"), "the server takes a name with an entry below it out of a wildcard")
	require.True(t, finds("rooibos.admin.example.com"))
}

// nameServer is NSD with a root zone of these entries. The test is skipped where there is none, unless TOOLS=required:
// make tools installs it.
func nameServer(t *testing.T, entries string) *net.Resolver {
	t.Helper()
	program := "/usr/sbin/nsd" // which is in no user's path
	if _, err := os.Stat(program); err != nil && os.Getenv("TOOLS") != "required" {
		t.Skip("nsd is not here: no name is resolved")
	}
	held, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	at := held.LocalAddr().(*net.UDPAddr)
	require.NoError(t, held.Close())
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	zone := write("zone", "$TTL 60\n. SOA ns.test. admin.test. 1 60 60 60 60\n. NS ns.test.\nns.test. A 127.0.0.1\n"+
		entries)
	// Of itself it answers nobody more than 200 times a second.
	config := write("nsd.conf", fmt.Sprintf(`server:
	ip-address: 127.0.0.1@%d
	rrl-ratelimit: 0
	username: ""
	zonesdir: "%[2]s"
	database: ""
	pidfile: "%[2]s/pid"
	xfrdfile: "%[2]s/xfrd"
	xfrdir: "%[2]s"
	zonelistfile: "%[2]s/zones"
remote-control:
	control-enable: no
zone:
	name: "."
	zonefile: "%[3]s"
`, at.Port, folder, zone))
	run := exec.Command(program, "-d", "-c", config)
	var said strings.Builder
	run.Stdout, run.Stderr = &said, &said
	require.NoError(t, run.Start())
	t.Cleanup(func() {
		require.NoError(t, run.Process.Signal(os.Interrupt))
		_ = run.Wait()
	})
	server := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, at.String())
	}}
	require.Eventually(t, func() bool {
		found, err := server.LookupNetIP(t.Context(), "ip4", "ns.test.")
		return err == nil && len(found) > 0
	}, within, look, &said)
	return server
}
