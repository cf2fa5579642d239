package importer

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/functions/imports"
	"eshop/shared/host"
)

// endlessLetters is so many bytes of one letter.
type endlessLetters struct{ left int64 }

func (e *endlessLetters) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.left)
	copy(p[:n], bytes.Repeat([]byte("x"), int(n)))
	e.left -= n
	return int(n), nil
}

var someFields = map[string]cell{"email": text, "note": text}

func csvOf(t require.TestingT, file io.Reader) *csv {
	c := &csv{reader: newReader(file, 0)}
	bad, err := c.header(someFields, "email")
	require.NoError(t, err)
	require.Nil(t, bad)
	return c
}

func TestALineOfAGigabyteIsPassedOver(t *testing.T) {
	const gigabyte = 1 << 30
	open := func(r io.Reader) rows { return csvOf(t, r) }
	lines := func(r io.Reader) rows { return &jsonl{reader: newReader(r, 0)} }
	for _, c := range []struct {
		name, head, tail string
		open             func(io.Reader) rows
	}{
		{"quoted", "email,note\na,\"", "\"\nb,1\n", open},
		{"not quoted", "email,note\na,", "\nb,1\n", open},
		{"JSON", `{"email":"`, "\"}\n{\"email\":\"b\"}\n", lines},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			file := c.open(io.MultiReader(strings.NewReader(c.head), &endlessLetters{gigabyte}, strings.NewReader(c.tail)))
			first, err := file.next()
			require.NoError(t, err)
			require.Equal(t, tooLong, first.fault)
			second, err := file.next()
			require.NoError(t, err)
			require.Nil(t, second.fault)
			require.Equal(t, "b", second.Fields["email"])
			_, err = file.next()
			require.ErrorIs(t, err, io.EOF)
			runtime.ReadMemStats(&after)
			// What the letters are copied from is garbage of the test's, no more than a buffer at a time.
			require.Less(t, after.HeapAlloc, before.HeapAlloc+32<<20, "it was never held in memory")
		})
	}
}

// written is records as RFC 4180 has them, every cell quoted.
func written(records [][]string) string {
	var b strings.Builder
	for _, r := range records {
		for i, cell := range r {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strings.ReplaceAll(cell, `"`, `""`) + `"`)
		}
		b.WriteString("\r\n")
	}
	return b.String()
}

func TestWhatIsWrittenIsReadFromAnyRowOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.StringMatching("[a-c,;\"\r\n|é]{0,8}")
		records := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []string {
			return []string{"k" + cells.Draw(t, "key"), cells.Draw(t, "note")}
		}), 0, 20).Draw(t, "records")
		file := "email,note\n" + written(records)
		c := csvOf(t, strings.NewReader(file))
		ends := []int64{c.at}
		for _, want := range records {
			r, err := c.next()
			require.NoError(t, err)
			require.Nil(t, r.fault)
			require.Equal(t, want[0], r.Fields["email"])
			if want[1] != "" {
				require.Equal(t, want[1], r.Fields["note"])
			}
			ends = append(ends, r.end)
		}
		_, err := c.next()
		require.ErrorIs(t, err, io.EOF)
		n := rapid.IntRange(0, len(records)).Draw(t, "from")
		c.reader = newReader(strings.NewReader(file[ends[n]:]), ends[n])
		for _, want := range records[n:] {
			r, err := c.next()
			require.NoError(t, err)
			require.Equal(t, want[0], r.Fields["email"], "from the %dth row on", n)
		}
	})
}

func FuzzNoFileMakesItFall(f *testing.F) {
	f.Add([]byte("email,note\na,\"b\r\n"))
	f.Add([]byte("\ufeffemail;note\r\n\"a\"\"\";\"\"\r"))
	f.Add([]byte("{\"email\":1}\n[]\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		c := &csv{reader: newReader(bytes.NewReader(file), 0)}
		bad, err := c.header(someFields, "email")
		require.NoError(t, err)
		for _, r := range []rows{c, &jsonl{reader: newReader(bytes.NewReader(file), 0)}} {
			if r == rows(c) && bad != nil {
				continue
			}
			at := int64(0)
			for {
				row, err := r.next()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				require.Greater(t, row.end, at, "it gets on")
				at = row.end
			}
			require.LessOrEqual(t, at, int64(len(file)))
		}
	})
}

// startling is a file at which the reader panics.
type startling struct{}

func (startling) next() (row, error) { panic("what nobody foresaw") }

func TestAPanicAtAFileIsItsImportsAlone(t *testing.T) {
	r := &run{importer: &importer{Platform: &host.Platform{Log: slog.New(slog.DiscardHandler)}}, k: &imports.Kept{}}
	read := make(chan block, 1)
	r.read(t.Context(), startling{}, read)
	b := <-read
	require.Empty(t, b.items)
	require.ErrorContains(t, b.err, "panic")
}
