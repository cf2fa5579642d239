package paycode

import "strings"

// IBAN is an account's number without blanks and in capitals. is says whether it is one: two letters, two check digits
// that are right, and 11 to 30 letters or digits (ISO 13616).
func IBAN(text string) (iban string, is bool) {
	iban = strings.ToUpper(strings.Join(strings.Fields(text), ""))
	if len(iban) < 15 || len(iban) > 34 || strings.Trim(iban[:2], letters) != "" ||
		strings.Trim(iban[2:4], digits) != "" {
		return iban, false
	}
	// The number with its first four characters last, and each letter as 10 to 35, is 1 modulo 97 (ISO 7064).
	rest := 0
	for _, c := range iban[4:] + iban[:4] {
		switch {
		case strings.ContainsRune(digits, c):
			rest = (rest*10 + int(c-'0')) % 97
		case strings.ContainsRune(letters, c):
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return iban, false
		}
	}
	return iban, rest == 1
}

const letters, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"

// Grouped is an IBAN as people read it: in groups of four.
func Grouped(iban string) string {
	var groups []string
	for ; len(iban) > 4; iban = iban[4:] {
		groups = append(groups, iban[:4])
	}
	return strings.Join(append(groups, iban), " ")
}

// czech is how long a Czech IBAN is: CZ, two check digits, four digits of the bank, six of the prefix, ten of the
// number.
const czech = 24

// Local is a Czech account as people there write it, 19-123456789/0800; "" of any other.
func Local(iban string) string {
	if !strings.HasPrefix(iban, "CZ") || len(iban) != czech {
		return ""
	}
	bank, prefix, number := iban[4:8], strings.TrimLeft(iban[8:14], "0"), strings.TrimLeft(iban[14:], "0")
	if prefix != "" {
		prefix += "-"
	}
	return prefix + number + "/" + bank
}
