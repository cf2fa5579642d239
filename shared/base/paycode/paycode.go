// Package paycode makes the QR code by which a bank's app fills in a transfer: SPAYD 1.0 of the Czech banks for crowns
// (qr-platba.cz), PAY by square 1.2.0 of the Slovak ones for euros (bsqr.co). It knows nothing of orders: who is to be
// paid comes in, text and picture go out.
package paycode

import (
	"bytes"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	qr "github.com/piglig/go-qr"
	"github.com/ulikunitz/xz/lzma"

	"eshop/shared/base/slug"
)

// Transfer is what is to be paid, and to whom.
type Transfer struct {
	IBAN     string // as IBAN writes it
	Name     string // whose account it is
	Amount   string // with two decimal places behind a point
	Currency string // CZK or EUR
	Symbol   string // the variable symbol, of at most ten digits
}

// Text is what the code of the transfer says; "" of a currency that has none.
func (t Transfer) Text() (string, error) {
	switch t.Currency {
	case "CZK":
		return "SPD*1.0*ACC:" + t.IBAN + "*AM:" + t.Amount + "*CC:CZK*X-VS:" + t.Symbol, nil
	case "EUR":
		return bySquare(t.fields())
	}
	return "", nil
}

// fields are the transfer in PAY by square's sequence: no invoice, one payment, of the kind of a payment order, to one
// account, with neither a standing order nor a direct debit, and to whom. Some apps refuse a name with accents.
func (t Transfer) fields() []string {
	name := strings.ToUpper(slug.Fold(strings.Join(strings.Fields(t.Name), " ")))
	return []string{"", "1", "1", t.Amount, t.Currency, "", t.Symbol, "", "", "", "", "1", t.IBAN, "", "0", "0",
		cut(name, mostName), "", ""}
}

// mostName is how many characters a name has at most.
const mostName = 70

// cut is the text, or its first characters.
func cut(text string, most int) string {
	letters := []rune(text)
	return string(letters[:min(len(letters), most)])
}

// The head of a PAY by square: type 0 and version 2, which is 1.2.0; document type 0 and what is reserved.
var squareHead = []byte{0x02, 0x00}

// lzmaHead is how many bytes stand before what LZMA makes, and are left out: every reader knows what they say.
const lzmaHead = 13

// bySquare packs the fields: a checksum and the fields, divided by tabs, by LZMA; before that the head and the length
// of what is packed. All of it is written in base32hex without padding.
func bySquare(fields []string) (string, error) {
	sequence := []byte(strings.Join(fields, "\t"))
	plain := append(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(sequence)), sequence...)
	var packed bytes.Buffer
	w, err := lzma.WriterConfig{Properties: &lzma.Properties{LC: 3, LP: 0, PB: 2}, DictCap: 128 << 10,
		SizeInHeader: true, Size: int64(len(plain))}.NewWriter(&packed)
	if err != nil {
		return "", fmt.Errorf("paycode: %w", err)
	}
	if _, err = w.Write(plain); err == nil {
		err = w.Close()
	}
	if err != nil {
		return "", fmt.Errorf("paycode: %w", err)
	}
	code := binary.LittleEndian.AppendUint16(bytes.Clone(squareHead), uint16(len(plain)))
	code = append(code, packed.Bytes()[lzmaHead:]...)
	return base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(code), nil
}

// quiet is how many modules around a code are empty (ISO/IEC 18004).
const quiet = 4

// Draw is the QR code of a text: the path of its dark modules, each one by one, and how many modules it has on each
// side, the empty ones around it included. Damage of 15 % does not matter, as the Czech banks ask for.
func Draw(text string) (path string, side int, err error) {
	code, err := qr.EncodeText(text, qr.Medium)
	if err != nil {
		return "", 0, fmt.Errorf("paycode: %w", err)
	}
	var b strings.Builder
	for y := range code.Size() {
		for x := 0; x < code.Size(); x++ {
			from := x
			for code.Module(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", from+quiet, y+quiet, x-from, x-from)
			}
		}
	}
	return b.String(), code.Size() + 2*quiet, nil
}
