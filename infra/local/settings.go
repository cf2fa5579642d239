package local

import (
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/egress"
	"eshop/shared/host"
)

// Settings of the process. Of reads them from the environment. A test sets the clock, randomness and the disk's room as
// well, and in a simulated world what the last three put in the place of the machine.
type Settings struct {
	Addr           string
	Data           string // the data folder
	Environment    string
	TrustedProxies Proxies  // whose word for where requests come from is taken
	PublicURL      *url.URL // where everybody finds it, below whose host shops lie; nil: on this machine alone
	OperatorToken  string   // "": made once, kept in the data folder
	Demo           bool     // seed the demo shop into an empty data folder
	JSON           bool     // the log is a JSON object a line, for programs that collect it

	SecurityContact string // whom to tell of a hole, as host.IsContact has it; "": nobody is named
	TestDomain      string // below which test shops have their domains, beside those that end in .test; "": none
	Canary          string // where the canary tries the platform every five minutes: <shop id>/<package id>, "1" or ""

	Parting time.Duration // how long a stop lets idle connections bring a last request

	Now    func() time.Time
	Random io.Reader
	Free   func() (int64, error) // bytes that are free on the data's disk; nil: as the system says
	Log    *slog.Logger

	Listener net.Listener          // nil: what listens on Addr
	Disk     func(edits int) error // as bolt.Options has it
	Parts    func(*host.Parts)     // changes what the platform is made of; nil: nothing does
}

// ReadSettings reads the settings by their names (contract, "The one process"). An error names the variable and says
// what it may be; it never repeats a token.
func ReadSettings(getenv func(string) string) (read Settings, err error) {
	or := func(name, otherwise string) string {
		if v := getenv(name); v != "" {
			return v
		}
		return otherwise
	}
	read = Settings{
		Addr: or("ADDR", "127.0.0.1:8080"), Data: or("DATA", ".data"), Environment: or("ENVIRONMENT", "development"),
		OperatorToken: getenv("OPERATOR_TOKEN"), SecurityContact: getenv("SECURITY_CONTACT"),
		TestDomain: getenv("TEST_DOMAIN"), Parting: partFor, Now: time.Now, Random: rand.Reader,
	}
	if read.TestDomain != "" && (!egress.IsName(read.TestDomain) || !strings.Contains(read.TestDomain, ".")) {
		return read, fmt.Errorf("TEST_DOMAIN is a name in lower case like dev.example.com, below which test shops lie")
	}
	if err := checkAddr(read.Addr); err != nil {
		return read, err
	}
	if !regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`).MatchString(read.Environment) {
		return read, fmt.Errorf("ENVIRONMENT is a name of 1 to 32 letters, digits, dots, dashes and underscores, " +
			"like production or development")
	}
	if read.OperatorToken != "" {
		if err := read.checkOperatorToken(read.OperatorToken); err != nil {
			return read, err
		}
	}
	if !read.production() {
		read.SecurityContact = or("SECURITY_CONTACT", "mailto:security@localhost")
	}
	if read.SecurityContact != "" && !host.IsContact(read.SecurityContact) {
		return read, fmt.Errorf("SECURITY_CONTACT is an address like mailto:security@example.com or " +
			"https://example.com/report")
	}
	switch or("DEMO", map[bool]string{true: "0", false: "1"}[read.production()]) {
	case "1":
		read.Demo = true
	case "0":
	default:
		return read, fmt.Errorf("DEMO is 1 (seed the demo shop) or 0 (do not)")
	}
	switch canary := or("CANARY", "0"); {
	case canary == "1" && read.production():
		return read, fmt.Errorf("CANARY=1 is not for production: name a shop and a package there")
	case canary == "1" || host.IsCanary(canary):
		read.Canary = canary
	case canary != "0":
		return read, fmt.Errorf("CANARY is 1 (try the platform from outside every five minutes, in the demo shop), " +
			"<shop id>/<package id> (in that shop) or 0 (do not)")
	}
	switch or("LOG", "text") {
	case "json":
		read.JSON = true
	case "text":
	default:
		return read, fmt.Errorf("LOG is text (for people) or json (an object a line)")
	}
	if read.TrustedProxies, err = proxiesOf(getenv("TRUSTED_PROXIES")); err != nil {
		return read, err
	}
	return read, read.setPublicURL(getenv("PUBLIC_URL"))
}

// production says whether this is the production environment: live tokens, no loopback receivers, no demo by default.
func (s Settings) production() bool { return s.Environment == "production" }

// productionDistinct is how many different characters a production's operator token must have. Twenty random letters
// and digits have some 17; a token that somebody makes up in a hurry has fewer.
const productionDistinct = 12

// checkOperatorToken refuses a text that cannot be the operator's token: too short, with spaces or characters that are
// not visible ASCII, or weak in production. The error does not repeat it.
func (s Settings) checkOperatorToken(token string) error {
	if len(token) < api.OperatorToken || strings.ContainsFunc(token, func(r rune) bool { return r < '!' || r > '~' }) {
		return fmt.Errorf("OPERATOR_TOKEN is of at least %d visible ASCII characters without spaces", api.OperatorToken)
	}
	distinct := map[rune]bool{}
	for _, r := range token {
		distinct[r] = true
	}
	if s.production() && len(distinct) < productionDistinct {
		return fmt.Errorf("OPERATOR_TOKEN is too weak for production: at least %d of its characters are "+
			"different ones; "+
			"openssl rand -base64 33 makes a good one", productionDistinct)
	}
	return nil
}

// setPublicURL takes the address at which everybody finds the platform. Its host is a name, because shops lie below it.
func (s *Settings) setPublicURL(address string) error {
	if address == "" {
		if s.production() {
			return fmt.Errorf("PUBLIC_URL must be set in production: it is the address at which everybody finds the " +
				"platform, like https://eshop.example.com")
		}
		return nil
	}
	address = strings.TrimSuffix(address, "/")
	where, err := url.Parse(address)
	if err != nil || where.Scheme != "https" && where.Scheme != "http" || address != where.Scheme+"://"+where.Host ||
		!egress.IsName(where.Hostname()) || egress.EndsInNumber(where.Hostname()) || !isPort(where.Port()) ||
		slices.Contains(strings.Split(where.Hostname(), "."), "admin") {
		return fmt.Errorf("PUBLIC_URL is the platform's address with a name in lower case, without a path " +
			"and a label admin, like https://eshop.example.com")
	}
	if where.Port() == "" || where.Port() == map[string]string{"http": "80", "https": "443"}[where.Scheme] {
		where.Host = where.Hostname() // browsers leave out a scheme's own port
	}
	s.PublicURL = where
	return nil
}

// isPort says whether a text is an address's port, or none.
func isPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && strconv.FormatUint(max(n, 1), 10) == port
}

// checkAddr refuses an ADDR that cannot be listened to: it is a port, with an IP address, localhost or nothing before
// it.
func checkAddr(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
		return fmt.Errorf("ADDR is host:port with a port from 0 to 65535 (0 picks a free one), like "+
			"127.0.0.1:8080, not %q",
			addr)
	}
	if host != "" && host != "localhost" && net.ParseIP(host) == nil {
		return fmt.Errorf("ADDR names its host by an IP address or localhost, not %q", host)
	}
	return nil
}
