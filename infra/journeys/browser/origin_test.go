package browser

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions/admin"
	"eshop/functions/codes"
	operators "eshop/functions/operator"
	"eshop/functions/storefront"
	"eshop/shared/frontend/browsertest"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
)

// thief is a custom code that does what any add-on with codes:write can make a merchant's browser do while the
// merchant, signed in to the admin, looks at their own shop. What it could read lies in window.got, by the way in which
// it tried.
const thief = `<button id="steal">Steal</button><script>
document.querySelector("#steal").onclick = async () => {
	const host = location.host, got = {};
	const at = host.replace(".", ".admin.");
	const admin = location.protocol + "//" + at;
	const change = () => new URLSearchParams({name: "Stolen", "owner.email": "mallory@evil.example"});
	const form = (target) => {
		const f = Object.assign(document.createElement("form"), {method: "post", action: admin + "/admin/shop", target});
		for (const [name, value] of change()) f.append(Object.assign(document.createElement("input"), {name, value}));
		document.body.append(f);
		return f;
	};
	const framed = (name, src, then) => new Promise((done) => {
		const f = Object.assign(document.createElement("iframe"), {name});
		f.onload = () => { if (then) { f.onload = read; then(); } else read(); };
		const read = () => { let text = ""; try { text = f.contentDocument.body.textContent; } catch {} done(text); };
		f.src = src;
		document.body.append(f);
	});
	const opened = (w) => new Promise((done) => {
		const look = () => {
			try {
				if (w.closed) return done("");
				if (w.location.href !== "about:blank") return done(w.document.body.textContent);
			} catch { return done(""); }
			setTimeout(look, 10);
		};
		look();
	});
	const popup = window.open(admin + "/admin/people");
	const text = (r) => r.text();
	for (const at of ["", admin]) {
		got["fetch " + at] = await fetch(at + "/admin/people", {credentials: "include"}).then(text, () => "");
		got["post " + at] = await fetch(at + "/admin/shop",
			{method: "POST", credentials: "include", body: change()}).then((r) => r.ok ? "done" : "", () => "");
		await fetch(at + "/admin/shop",
			{method: "POST", credentials: "include", mode: "no-cors", body: change()}).catch(() => {});
	}
	got.frame = await framed("", admin + "/admin/people");
	got.form = await framed("inside", "about:blank", () => form("inside").submit());
	got.popup = await opened(popup);
	for (const name of ["admin", "__Host-admin", "lang", "__Host-lang", "admin-note", "__Host-admin-note"])
		for (const path of location.protocol === "https:" ? ["/", "/admin"] : ["/"])
			document.cookie = name + "=mallory; domain=" + location.hostname + "; path=" + path;
	window.got = got;
};
</script>`

// steals lets the thief try everything in the tab of a merchant who is signed in, and wants that it got nothing and
// that the merchant still is.
func steals(t *testing.T, tab *browsertest.Tab, shop, admin string) {
	t.Helper()
	tab.Go(admin + "/admin/people")
	before := tab.Text("main")
	lang := browsertest.Eval[string](tab, `document.documentElement.lang`)
	tab.Go(shop + "/")
	tab.Click("#steal")
	tab.Wait(`Boolean(window.got)`)
	for way, text := range browsertest.Eval[map[string]string](tab, `window.got`) {
		require.NotContains(t, text, "ada", way)
		require.Empty(t, text, way)
	}
	tab.Go(admin + "/admin/people")
	require.Equal(t, before, tab.Text("main"), "the merchant is signed in, and nobody was added")
	require.Equal(t, lang, browsertest.Eval[string](tab, `document.documentElement.lang`))
	tab.Go(admin + "/admin/shop")
	require.NotContains(t, browsertest.Eval[string](tab, `document.querySelector("[name=name]").value`), "Stolen")
	tab.Go(shop + "/admin/people")
	require.Equal(t, admin+"/admin/people", tab.URL(), "the old address leads there")
}

// TestACustomCodeGetsNothingOfTheAdmin on this machine, where it is served over http.
func TestACustomCodeGetsNothingOfTheAdmin(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.installs("bodyEnd", thief)
	s.signsIn(tab, "cs")
	steals(t, tab, s.url, s.admin())
}

// TestACustomCodeGetsNothingOfTheAdminOverHTTPS: there the cookies of the admin are the host's alone, so none that a
// script sets for the shop's domain stands before them.
func TestACustomCodeGetsNothingOfTheAdminOverHTTPS(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	server := httptest.NewUnstartedServer(nil)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	w := hosttest.Open(t, hosttest.Setup{
		Functions: []host.Function{admin.Function, codes.Function, operators.Function, storefront.Function},
		Platform: func(p *host.Parts) {
			p.Traits = host.OneProcess
			p.Shops.Host, p.Shops.Port = "test", ":"+port
		}})
	server.Config.Handler = w.API
	server.StartTLS()
	t.Cleanup(server.Close)

	does := func(token, path string, body hosttest.Object) hosttest.Answer {
		t.Helper()
		return w.As(token, "POST", path, body).Is(http.StatusCreated)
	}
	shop := does(hosttest.OperatorToken, "/operator/shops", hosttest.Object{"name": "Tea", "domain": "tea.test",
		"locale": "cs_CZ", "currency": "CZK", "owner": hosttest.Object{"email": "owner@example.com"}}).ID()
	pkg := does(hosttest.OperatorToken, "/operator/packages", hosttest.Object{"code": "thief", "name": "Thief",
		"instructions": "-", "permissions": []string{"codes:write"}}).ID()
	token := does(hosttest.OperatorToken, "/operator/shops/"+shop+"/accesses",
		hosttest.Object{"packageId": pkg}).Get("token")
	does(token, "/api-engine/custom-codes", hosttest.Object{"name": "thief", "position": "bodyEnd", "code": thief})
	link := does(hosttest.OperatorToken, "/operator/shops/"+shop+"/admins",
		hosttest.Object{"email": "ada@example.com", "name": "Ada"}).Get("setPasswordUrl")

	address, err := url.Parse(link)
	require.NoError(t, err)
	require.Equal(t, "https://tea.admin.test:"+port, address.Scheme+"://"+address.Host)
	tab.Go(link)
	tab.Fill("#password", adminPassword)
	tab.Follow(button)
	tab.Fill("#email", "ada@example.com")
	tab.Fill("#password", adminPassword)
	tab.Follow(button)
	steals(t, tab, "https://tea.test:"+port, "https://"+address.Host)
}
