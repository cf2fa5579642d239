package docs_test

import (
	"bufio"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// mails are the programs of the guide that mail a shop's customers, each beside the receiver of its language.
var mails = []language{
	{"mails/mail.mjs", []string{"node", packages + "nodemailer"}, func(t *testing.T, file, _ string) *exec.Cmd {
		folder := laid(t, t.TempDir(), file, "receivers/receiver.mjs")
		modules, err := filepath.Abs(packages)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
		return exec.Command("node", filepath.Join(folder, "mail.mjs"))
	}},
	{"mails/mail.php", []string{"php", "/usr/share/php/libphp-phpmailer"},
		func(t *testing.T, file, port string) *exec.Cmd {
			folder := laid(t, t.TempDir(), file, "receivers/receiver.php")
			require.NoError(t, os.Mkdir(filepath.Join(folder, "vendor"), 0o700)) // as composer makes it
			require.NoError(t, os.WriteFile(filepath.Join(folder, "vendor", "autoload.php"),
				[]byte("<?php require 'libphp-phpmailer/autoload.php';"), 0o600))
			return exec.Command("php", "-S", "127.0.0.1:"+port, filepath.Join(folder, "mail.php"))
		}},
}

// mailbox is a small SMTP server (RFC 5321). It refuses the first mail for now, as a busy one does.
type mailbox struct {
	net.Listener
	mu      sync.Mutex
	refused bool
	mails   []string
}

// openMailbox opens a mailbox that closes with the test.
func openMailbox(t *testing.T) *mailbox {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	m := &mailbox{Listener: l}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go m.talk(c)
		}
	}()
	return m
}

// talk takes the mails of one connection.
func (m *mailbox) talk(c net.Conn) {
	defer c.Close()
	say := func(line string) { fmt.Fprint(c, line, "\r\n") }
	say("220 mailbox")
	for in := bufio.NewReader(c); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " "); verb {
		case "DATA":
			say("354 go on")
			var text strings.Builder
			for line != ".\r\n" {
				if line, err = in.ReadString('\n'); err != nil {
					return
				}
				text.WriteString(strings.TrimPrefix(line, "."))
			}
			say(m.take(text.String()))
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// take keeps a mail, but for the first.
func (m *mailbox) take(text string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.refused {
		m.refused = true
		return "451 busy"
	}
	m.mails = append(m.mails, text)
	return "250 kept"
}

// letter is a mail as somebody reads it.
func (m *mailbox) letter(t *testing.T, n int) (head mail.Header, subject, text string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	letter, err := mail.ReadMessage(strings.NewReader(m.mails[n]))
	require.NoError(t, err)
	subject, err = new(mime.WordDecoder).DecodeHeader(letter.Header.Get("Subject"))
	require.NoError(t, err)
	body := letter.Body
	if letter.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	b, err := io.ReadAll(body)
	require.NoError(t, err)
	return letter.Header, subject, strings.ReplaceAll(string(b), "\r\n", "\n")
}

func (m *mailbox) hasRefused() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refused
}

func (m *mailbox) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.mails)
}

// TestTheMailsOfTheGuide sells on the running platform, ships, and reads what the customer is mailed: each once, though
// the mail server refuses the first for now.
func TestTheMailsOfTheGuide(t *testing.T) {
	base := serve(t)
	for i, l := range mails {
		t.Run(l.file, func(t *testing.T) {
			l.tried(t)
			s := newSender(t, base, fmt.Sprint("mail", i), "orders", "products")
			box := openMailbox(t)
			key := s.do("POST", "/api-engine/webhook-signing-keys", "")["key"].(string)
			p := l.start(t, nil, "WEBHOOK_KEYS="+key, "BASE="+base, "TOKEN="+s.token, "FROM=shop@example.com",
				"SMTP=smtp://"+box.Addr().String(), "MAILED="+filepath.Join(t.TempDir(), "mailed"))
			t.Cleanup(func() {
				if t.Failed() {
					t.Log(p.said())
				}
			})
			require.Eventually(t, p.listens, within, look)
			cut, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/hooks"))
			require.NoError(t, err)
			fmt.Fprint(cut, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
			require.NoError(t, cut.Close(), "a stranger hangs up in the middle")
			hook := s.do("POST", "/api-engine/webhooks", `{"url":"`+p.url+`","events":["orderChange"]}`)["id"].(string)
			require.Eventually(t, func() bool {
				return s.do("GET", "/api-engine/webhooks/"+hook, "")["state"] == "enabled"
			}, within, look)

			tea := s.product("TEA")
			s.do("PATCH", "/api-engine/products/"+tea, `{"stock":{"quantity":10}}`)
			sells := func(email string, pieces int) map[string]any {
				return s.do("POST", "/api-engine/orders", fmt.Sprintf(
					`{"email":%q,"items":[{"productId":%q,"quantity":%d}]}`, email, tea, pieces))
			}
			order := sells("jana@example.cz", 2)
			number, of := order["number"].(string), "/api-engine/orders/"+order["id"].(string)
			require.Eventually(t, box.hasRefused, within, look)
			(&sender{s.t, s.base, operator}).do("POST", "/operator/clock", `{"advance":"10m"}`) // it comes again
			waited := func(mails int) {
				t.Helper()
				require.Eventually(t, func() bool { return box.count() >= mails }, within, look)
			}
			waited(1)
			head, subject, text := box.letter(t, 0)
			require.Equal(t, "Objednávka "+number+" přijata", subject)
			require.Contains(t, head.Get("To"), "jana@example.cz")
			require.Contains(t, text, "2 × Tričko TEA: 20.00\nCelkem: 20.00 CZK")

			for _, state := range s.do("GET", "/api-engine/order-states", "")["items"].([]any) {
				if state := state.(map[string]any); state["key"] == "shipped" {
					s.do("PATCH", of+"/order-delivery-payment", `{"trackingNumber":"CZ1","trackingLink":"https://t.example/CZ1"}`)
					s.do("PATCH", of, `{"stateId":"`+state["id"].(string)+`"}`)
				}
			}
			waited(2)
			_, subject, text = box.letter(t, 1)
			require.Equal(t, "Objednávka "+number+" je na cestě", subject)
			require.Contains(t, text, "Zásilka: CZ1 https://t.example/CZ1")

			s.do("PATCH", of, `{"note":"neither"}`)
			second := sells("eva@example.cz", 1)
			waited(3)
			_, subject, _ = box.letter(t, 2)
			require.Equal(t, "Objednávka "+second["number"].(string)+" přijata", subject)
			require.Equal(t, 3, box.count(), "each once")
			require.NotContains(t, p.said(), s.token)
		})
	}
}
