package paycode

import (
	"bytes"
	"encoding/base32"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"testing"

	qr "github.com/piglig/go-qr"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz/lzma"
)

// read is what a bank's app reads of a PAY by square: its version, and its fields.
func read(t *testing.T, code string) (version byte, fields []string) {
	raw, err := base32.HexEncoding.WithPadding(base32.NoPadding).DecodeString(code)
	require.NoError(t, err)
	size := binary.LittleEndian.Uint16(raw[2:4])
	head := binary.LittleEndian.AppendUint32([]byte{(2*5+0)*9 + 3}, 128<<10) // pb 2, lp 0, lc 3
	head = binary.LittleEndian.AppendUint64(head, uint64(size))
	r, err := lzma.NewReader(bytes.NewReader(append(head, raw[4:]...)))
	require.NoError(t, err)
	plain := make([]byte, size)
	_, err = r.Read(plain)
	require.NoError(t, err)
	require.Equal(t, crc32.ChecksumIEEE(plain[4:]), binary.LittleEndian.Uint32(plain))
	return raw[0], strings.Split(string(plain[4:]), "\t")
}

// The codes of others are those that the tests of the bysquare library have for the same payment.
func TestACodeOfOthersAndOursSayTheSame(t *testing.T) {
	version, others := read(t, "0804O0002G0L2UES834BQT9SQJQA9M5QGN1AHN4VO0KB6MVM9RPFU06E5LQEOQUN07FTDIF9"+
		"6UAS90AOPDCSE86CMTRAI45IDKRHJ6BUOIG1162LVVVRAKA000")
	code, err := Transfer{IBAN: "SK9611000000002918599669", Name: "John\tDoe", Amount: "100.00", Currency: "EUR",
		Symbol: "123"}.Text()
	require.NoError(t, err)
	ours, fields := read(t, code)
	require.Equal(t, version, ours)
	require.Equal(t, []string{"", "100.00", "JOHN DOE"}, []string{fields[0], fields[3], fields[16]})
	fields[0], fields[3], fields[16] = "test-001", "100", "John Doe" // what is written otherwise
	require.Equal(t, others, fields)
}

func TestTheNameIsReadByAppsWithoutAccents(t *testing.T) {
	code, err := Transfer{IBAN: "SK9611000000002918599669", Name: strings.Repeat("Čaj ", 40), Amount: "0.05",
		Currency: "EUR", Symbol: "2026000123"}.Text()
	require.NoError(t, err)
	_, fields := read(t, code)
	require.Equal(t, strings.Repeat("CAJ ", 18)[:70], fields[16])
	require.Equal(t, []string{"0.05", "EUR", "", "2026000123"}, fields[3:7])
}

func TestCrownsAreAskedForAsCzechBanksWantThem(t *testing.T) {
	czk := Transfer{IBAN: "CZ5855000000001265098001", Amount: "480.50", Currency: "CZK", Symbol: "2026000123"}
	text, err := czk.Text()
	require.NoError(t, err)
	require.Equal(t, "SPD*1.0*ACC:CZ5855000000001265098001*AM:480.50*CC:CZK*X-VS:2026000123", text)
	czk.Currency = "USD"
	text, err = czk.Text()
	require.NoError(t, err)
	require.Empty(t, text)
}

// runs are the runs of dark modules in a path.
var runs = regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`)

func TestACameraReadsWhatIsDrawn(t *testing.T) {
	euro, err := Transfer{IBAN: "SK9611000000002918599669", Name: "Tea", Amount: "12.00", Currency: "EUR",
		Symbol: "2026000123"}.Text()
	require.NoError(t, err)
	for _, text := range []string{"SPD*1.0*ACC:CZ5855000000001265098001*AM:480.50*CC:CZK*X-VS:2026000123", euro} {
		path, side, err := Draw(text)
		require.NoError(t, err)
		const scale = 4
		picture := image.NewGray(image.Rect(0, 0, side*scale, side*scale))
		for i := range picture.Pix {
			picture.Pix[i] = 255
		}
		found := runs.FindAllStringSubmatch(path, -1)
		require.Equal(t, path, strings.Join(runs.FindAllString(path, -1), ""))
		for _, run := range found {
			require.Equal(t, run[3], run[4])
			x, y, wide := number(t, run[1]), number(t, run[2]), number(t, run[3])
			for dx := range wide * scale {
				for dy := range scale {
					picture.Set(x*scale+dx, y*scale+dy, color.Black)
				}
			}
		}
		read, err := qr.Decode(picture)
		require.NoError(t, err)
		require.Equal(t, text, read)
	}
}

func number(t *testing.T, text string) int {
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

func TestAnAccountIsKnownByItsCheckDigits(t *testing.T) {
	for text, want := range map[string]string{
		"CZ58 5500 0000 0012 6509 8001": "CZ5855000000001265098001",
		"sk9611000000002918599669":      "SK9611000000002918599669",
		"GB82 WEST 1234 5698 7654 32":   "GB82WEST12345698765432",
	} {
		iban, is := IBAN(text)
		require.True(t, is, text)
		require.Equal(t, want, iban)
	}
	for _, text := range []string{"", "CZ", "CZ5855000000001265098002", "CZ5855000000012650980O1", "1265098001/5500",
		"5855CZ000000001265098001", "CZ58-5500-0000-0012-6509-8001", "ČZ5855000000001265098001",
		"CZ58" + strings.Repeat("0", 31)} {
		_, is := IBAN(text)
		require.False(t, is, text)
	}
	require.Equal(t, "CZ58 5500 0000 0012 6509 8001", Grouped("CZ5855000000001265098001"))
	require.Equal(t, "1265098001/5500", Local("CZ5855000000001265098001"))
	require.Equal(t, "19-2000145399/0800", Local("CZ6508000000192000145399"))
	require.Empty(t, Local("SK9611000000002918599669"))
}
