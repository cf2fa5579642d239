package local

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
	"eshop/shared/ports/blob"
)

// fetch is the answer to a request without a token.
func (h *house) fetch(method, from string, header http.Header) *http.Response {
	h.t.Helper()
	r, w := httptest.NewRequest(method, from, nil), httptest.NewRecorder()
	r.Header = header
	h.http.Handler.ServeHTTP(w, r)
	return w.Result()
}

// export puts a file and returns where it can be fetched for an hour.
func (h *house) export(key, text string) (from string) {
	h.t.Helper()
	require.NoError(h.t, h.files.Write(h.t.Context(), key, strings.NewReader(text)))
	from, err := h.files.DownloadURL(h.t.Context(), key, blob.Download{Name: "a.csv", ContentType: "text/csv"},
		time.Hour)
	require.NoError(h.t, err)
	require.Contains(h.t, from, h.BaseURL+"/downloads/")
	return from
}

func TestAFileIsFetchedFromItsAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		from := h.export("exports/shop/a", "0123456789")
		for _, x := range []struct {
			method string
			header http.Header
			status int
			text   string
		}{
			{"GET", http.Header{}, 200, "0123456789"},
			{"GET", http.Header{"Authorization": {"Bearer nobody's"}}, 200, "0123456789"},
			{"GET", http.Header{"Range": {"bytes=7-"}}, 206, "789"},
			{"HEAD", http.Header{}, 200, ""},
		} {
			answer := h.fetch(x.method, from, x.header)
			text, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.Equal(t, x.status, answer.StatusCode, string(text))
			require.Equal(t, x.text, string(text))
			require.Equal(t, "text/csv", answer.Header.Get("Content-Type"))
			require.Equal(t, `attachment; filename="a.csv"`, answer.Header.Get("Content-Disposition"))
		}
		h.end()
	})
}

func TestWhereThereIsNoFileTheAnswerIsAProblem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		good, gone := h.export("exports/shop/a", "x"), h.export("exports/shop/b", "x")
		require.NoError(t, h.files.Delete(t.Context(), "exports/shop/b"))
		up, err := h.files.UploadURL(t.Context(), "exports/shop/a", time.Hour)
		require.NoError(t, err)
		_, query, _ := strings.Cut(up, "?")
		address, _, _ := strings.Cut(good, "?")
		refused := func(method, from string, status int, code string) {
			t.Helper()
			answer := h.fetch(method, from, http.Header{})
			require.Equal(t, status, answer.StatusCode, from)
			require.Contains(t, answer.Header.Get("Cache-Control"), "no-store")
			require.Empty(t, answer.Header.Get("Content-Disposition"))
			require.Equal(t, "application/problem+json", answer.Header.Get("Content-Type"))
			var p struct{ Code string }
			require.NoError(t, json.NewDecoder(answer.Body).Decode(&p))
			require.Equal(t, code, p.Code)
		}
		refused("GET", gone, 404, "not_found")
		refused("GET", good+"0", 403, "download_forbidden")
		refused("GET", address, 403, "download_forbidden")
		refused("GET", address+"?"+query, 403, "download_forbidden")
		refused("GET", h.BaseURL+"/downloads/", 404, "not_found")
		refused("DELETE", good, 404, "not_found")
		time.Sleep(time.Hour + time.Second)
		refused("GET", good, 403, "download_forbidden")
		h.end()
	})
}

// TestADownloadHasAsLongAsItIsTaken has a receiver that takes a piece each minute, in all longer than an answer of the
// frame has, and one that stops.
func TestADownloadHasAsLongAsItIsTaken(t *testing.T) {
	const pieces, piece = 40, 64 << 10
	for name, takes := range map[string]int{"it is taken": pieces, "it is not": pieces / 2} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t)
				from := h.export("exports/shop/a", strings.Repeat("x", pieces*piece))
				p := hosttest.NewPipes()
				door := serveHTTP(context.Background(), p, h.http.Handler, h.Platform.Log)
				c := p.Dial()
				path := strings.TrimPrefix(from, h.BaseURL)
				say(t, c, "GET "+path+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
				answer, err := http.ReadResponse(bufio.NewReader(c), nil)
				require.NoError(t, err)
				for range takes - 1 {
					_, err := io.CopyN(io.Discard, answer.Body, piece)
					require.NoError(t, err)
					time.Sleep(takenWithin / 2)
				}
				if takes < pieces {
					time.Sleep(takenWithin)
					_, err = io.Copy(io.Discard, answer.Body)
					require.ErrorIs(t, err, io.ErrUnexpectedEOF, "who has not all of it knows")
				} else {
					rest, err := io.Copy(io.Discard, answer.Body)
					require.NoError(t, err)
					require.EqualValues(t, piece, rest)
				}
				require.NoError(t, c.Close())
				require.NoError(t, door.Close())
				h.end()
			})
		})
	}
}
