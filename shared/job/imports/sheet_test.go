package imports

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
)

// inUTF16 is a text as UTF-16 with its mark.
func inUTF16(text string, order binary.AppendByteOrder) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}

func TestAFileOfASpreadsheetIsReadAsText(t *testing.T) {
	const text = "E-mail;Jméno;Příjmení\r\njana@example.cz;Žaneta;Ťuhýková 😀\r\n"
	const here = "E-mail;Jméno;Příjmení\r\njana@example.cz;Žaneta;Ťuhýková\r\n"
	windows, err := charmap.Windows1250.NewEncoder().Bytes([]byte(here))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"UTF-8":                         {[]byte(text), text},
		"UTF-8 with its mark":           {[]byte(markUTF8 + text), markUTF8 + text},
		"windows-1250":                  {windows, here},
		"UTF-16 LE":                     {inUTF16(text, binary.LittleEndian), text},
		"UTF-16 BE":                     {inUTF16(text, binary.BigEndian), text},
		"UTF-16 cut within a letter":    {append(inUTF16("a", binary.LittleEndian), 'x'), "a"},
		"UTF-8 with a byte that is bad": {[]byte("Jméno;\xff;ž"), "Jméno;\xff;ž"},
		"nothing":                       {nil, ""},
	} {
		require.Equal(t, c.want, string(UTF8(c.file)), name)
	}
}

func TestTheFirstLineShowsWhatPartsItsCells(t *testing.T) {
	for begin, want := range map[string]rune{
		"a,b\n1;2;3;4":              ',',
		"a;b\n1,2,3,4":              ';',
		"a\tb\n":                    '\t',
		"\"Cena, s DPH, Kč\";Kód\n": ';',
		"\"Cena\n, s DPH, Kč\";Kód": ';',
		"a,b;c\n":                   ',',
		"email\n":                   ',',
		"":                          ',',
		"Ulice, město;E-mail;Firma": ';',
		"a\tb, c\td":                '\t',
	} {
		require.Equal(t, string(want), string(Separator([]byte(begin))), begin)
	}
}

func TestAFileIsRenamedWithoutTouchingItsRows(t *testing.T) {
	for file, want := range map[string]string{
		markUTF8 + "\r\nKód;\"Název; celý\";Barva\r\nA;\"b\"\"\";\r\nC;\"\n": "code;-;name\nA;\"b\"\"\";\r\nC;\"\n",
		"a,b,c": "code,-,name\n",
	} {
		require.Equal(t, want, string(Renamed([]byte(file), []string{"code", "", "name"})))
	}
}

func TestAHeadHasTheColumnsAndAFewRows(t *testing.T) {
	h, ok := HeadOf([]byte(markUTF8 + "\r\nKód; Název \r\nA;\"Čaj; zelený\"\r\nB;b\r\nC;c\r\nD;d\r\n"))
	require.True(t, ok)
	require.Equal(t, Head{[]string{"Kód", "Název"}, [][]string{{"A", "Čaj; zelený"}, {"B", "b"}, {"C", "c"}}}, h)
	h, ok = HeadOf([]byte("a,b\n1,2\n3"))
	require.True(t, ok)
	require.Len(t, h.Rows, 1, "a row that is not whole is left out")
	for _, begin := range []string{"", "\n", "a,\"b", "\xff,a\n"} {
		_, ok = HeadOf([]byte(begin))
		require.False(t, ok, begin)
	}
}

// TestWrongRowsHoldNoFormula, and an import reads each cell as it did: what was guarded is so once, a row that cannot
// be read is guarded as it stands.
func TestWrongRowsHoldNoFormula(t *testing.T) {
	const file = "Kód;=Název;Cena\r\nA;=1+1;-1,50\r\nB;'=1+1;\"=\"\"x\"\"; y\"\r\nC;\"a;=b\";\"+c\nd\"\r\n" +
		"D;=HYPERLINK(\"x\");\"=y\"\r\nE;''=1;+420 1\r\n"
	faults := map[int64]string{1: "=a", 2: "b; b", 3: "c", 4: "d", 5: "e"}
	require.Equal(t, markUTF8+"Kód;'=Název;Cena;Chyba\r\nA;'=1+1;-1,50;'=a\r\nB;'=1+1;\"'=\"\"x\"\"; y\";\"b; b\"\r\n"+
		"C;\"a;=b\";\"'+c\nd\";c\r\nD;'=HYPERLINK(\"x\");\"'=y\";;;d\r\nE;''=1;+420 1;e\r\n",
		string(wrongRows([]byte(file), func(column string) string { return column }, "Chyba", faults)))
}
