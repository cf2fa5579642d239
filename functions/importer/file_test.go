package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/job/imports"
)

// letters is one letter without an end, and how many of it were read.
type letters struct{ read int64 }

func (l *letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	l.read += int64(len(p))
	return len(p), nil
}

// parsed is a line of whatever kind of records.
func parsed(line []byte) (v any, err error) {
	if json.Unmarshal(line, &v) != nil {
		return nil, &problem.Problem{Code: "malformed_json"}
	}
	return v, nil
}

var someFields = map[string]field{"email": {cell: text}, "note": {cell: text}}

func sourceOf(t require.TestingT, file io.Reader, at int64) *source {
	s, err := newSource(io.NopCloser(file), at)
	require.NoError(t, err)
	return s
}

func csvOf(t require.TestingT, file io.Reader) *csvRows {
	c, err := newCSV(sourceOf(t, file, 0), someFields, imports.Customers)
	require.NoError(t, err)
	return c
}

func TestARowThatNeverEndsIsReadNoFurtherThanARowMayGo(t *testing.T) {
	table := func(r io.Reader) rows { return csvOf(t, r) }
	lines := func(r io.Reader) rows { return jsonRows{sourceOf(t, r, 0), parsed} }
	for _, c := range []struct {
		name, first, begun string
		open               func(io.Reader) rows
	}{
		{"quoted", "email,note\na,1\n", "b,\"", table},
		{"not quoted", "email,note\na,1\n", "b,", table},
		{"with a quote that may not stand there", "email,note\na,1\n", "b,\"x\"", table},
		{"JSON", "{\"email\":\"a\"}\n", `{"email":"`, lines},
	} {
		t.Run(c.name, func(t *testing.T) {
			endless := &letters{}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			file := c.open(io.MultiReader(strings.NewReader(c.first+c.begun), endless))
			first, err := file.next()
			require.NoError(t, err)
			require.Nil(t, first.fault)
			require.Equal(t, "a", first.Fields["email"])
			for range 2 { // nor is it gone on with from its middle
				_, err = file.next()
				require.Equal(t, tooLong.ofRow(), err)
			}
			require.LessOrEqual(t, endless.read, int64(maxRow+1))
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
		})
	}
	_, err := newCSV(sourceOf(t, &letters{}, 0), someFields, imports.Customers)
	require.ErrorIs(t, err, tooLong)
}

func TestARowMayHaveAMegabyte(t *testing.T) {
	table := func(r io.Reader) rows { return csvOf(t, io.MultiReader(strings.NewReader("email,note\n"), r)) }
	lines := func(r io.Reader) rows { return jsonRows{sourceOf(t, r, 0), parsed} }
	long := func(begun, ended string, more int) string {
		return begun + strings.Repeat("x", maxRow-len(begun)-len(ended)+more) + ended
	}
	for _, c := range []struct {
		name, begun, ended string
		open               func(io.Reader) rows
	}{
		{"CSV", "b,", "", table},
		{"CSV in quotes", "b,\"", "\"", table},
		{"JSON", `{"email":"b","note":"`, "\"}", lines},
	} {
		for _, lineEnd := range []string{"\n", "\r\n"} {
			for _, last := range []string{lineEnd, ""} {
				t.Run(fmt.Sprintf("%s %q %q", c.name, lineEnd, last), func(t *testing.T) {
					most, more := long(c.begun, c.ended, 0), long(c.begun, c.ended, 1)
					file := c.open(strings.NewReader(most + lineEnd + most + lineEnd + more + last))
					for range 2 {
						r, err := file.next()
						require.NoError(t, err)
						require.Nil(t, r.fault)
						require.Equal(t, "b", r.Fields["email"])
					}
					_, err := file.next()
					require.ErrorContains(t, err, tooLong.message)

					file = c.open(strings.NewReader(most + last))
					r, err := file.next()
					require.NoError(t, err)
					require.Equal(t, "b", r.Fields["email"])
					_, err = file.next()
					require.ErrorIs(t, err, io.EOF)
				})
			}
		}
	}
}

func TestBlankLinesAreNoPartOfARow(t *testing.T) {
	table := func(r io.Reader) rows { return csvOf(t, r) }
	lines := func(r io.Reader) rows { return jsonRows{sourceOf(t, r, 0), parsed} }
	for _, c := range []struct {
		name, head, row string
		open            func(io.Reader) rows
	}{
		{"CSV", "email,note\n", "b,x", table},
		{"JSON", "", `{"email":"b"}`, lines},
	} {
		for _, lineEnd := range []string{"\n", "\r\n"} {
			t.Run(fmt.Sprintf("%s %q", c.name, lineEnd), func(t *testing.T) {
				blank := strings.Repeat(lineEnd, maxRow)
				text := blank + c.head + blank + c.row + lineEnd + blank + c.row + blank
				file := c.open(strings.NewReader(text))
				for range 2 {
					r, err := file.next()
					require.NoError(t, err)
					require.Equal(t, "b", r.Fields["email"])
					require.Equal(t, c.row, text[int(r.end)-len(c.row+lineEnd):int(r.end)-len(lineEnd)],
						"it ends behind its line")
				}
				_, err := file.next()
				require.ErrorIs(t, err, io.EOF)
			})
		}
	}
}

// broken is a file whose line breaks behind its text.
type broken struct{ io.Reader }

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = errBroken
	}
	return n, err
}

var errBroken = errors.New("the line broke")

func TestAFileThatBreaksInARowHasNoSuchRow(t *testing.T) {
	const whole = 10_000
	table := func(r io.Reader) rows { return csvOf(t, r) }
	lines := func(r io.Reader) rows { return jsonRows{sourceOf(t, r, 0), parsed} }
	for begun, c := range map[string]struct {
		head, row string
		open      func(io.Reader) rows
	}{
		`b,"`:           {"email,note\n", "a,1\n", table},
		"b,1":           {"email,note\n", "a,1\n", table},
		`b,"x"y`:        {"email,note\n", "a,1\n", table},
		"":              {"email,note\n", "a,1\n", table},
		`{"email":`:     {"", "{}\n", lines},
		`{"email":"b"}`: {"", "{}\n", lines},
	} {
		file := c.open(broken{strings.NewReader(c.head + strings.Repeat(c.row, whole) + begun)})
		read, err := 0, error(nil)
		for ; err == nil; read++ {
			_, err = file.next()
		}
		require.ErrorIs(t, err, errBroken, begun)
		require.Equal(t, whole, read-1, begun)
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
			require.Equal(t, strings.ReplaceAll(want[0], "\r\n", "\n"), r.Fields["email"])
			if want[1] != "" {
				require.Equal(t, strings.ReplaceAll(want[1], "\r\n", "\n"), r.Fields["note"])
			}
			ends = append(ends, r.end)
		}
		_, err := c.next()
		require.ErrorIs(t, err, io.EOF)
		n := rapid.IntRange(0, len(records)).Draw(t, "from")
		c.goOn(sourceOf(t, strings.NewReader(file[ends[n]:]), ends[n]), ',')
		for _, want := range records[n:] {
			r, err := c.next()
			require.NoError(t, err)
			require.Equal(t, strings.ReplaceAll(want[0], "\r\n", "\n"), r.Fields["email"], "from the %dth row on", n)
		}
	})
}

func FuzzNoFileMakesItFall(f *testing.F) {
	f.Add([]byte("email,note\na,\"b\r\n"))
	f.Add([]byte("\ufeffemail;note\r\n\"a\"\"\";\"\"\r"))
	f.Add([]byte("{\"email\":1}\n[]\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		kinds := []rows{jsonRows{sourceOf(t, bytes.NewReader(file), 0), parsed}}
		table, err := newCSV(sourceOf(t, bytes.NewReader(file), 0), someFields, imports.Customers)
		if err == nil {
			kinds = append(kinds, table)
		} else {
			require.IsType(t, &fault{}, err)
		}
		for _, r := range kinds {
			at := int64(0)
			for {
				row, err := r.next()
				if errors.Is(err, io.EOF) || errors.Is(err, openQuote) {
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
func (startling) Close() error       { return nil }

func TestAPanicAtAFileIsItsImportsAlone(t *testing.T) {
	quiet := host.Parts{World: host.World{Log: slog.New(slog.DiscardHandler)}}
	r := &run{importer: &importer{Platform: &host.Platform{Parts: quiet}},
		k: &imports.Job{}}
	read := make(chan block, 1)
	r.read(t.Context(), startling{}, read)
	b := <-read
	require.Empty(t, b.items)
	require.ErrorContains(t, b.err, "panic")
}
