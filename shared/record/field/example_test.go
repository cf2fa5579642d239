package field_test

import (
	"encoding/json"
	"fmt"
	"time"

	"eshop/shared/record/field"
)

// Types of fields read, normalise and write the values of a body.
func Example() {
	var body struct {
		Name  field.Name  `json:"name"`
		Price field.Money `json:"price"`
		Until field.Time  `json:"until"`
	}
	err := json.Unmarshal([]byte(`{"name":" Black tea ","price":"12.50","until":"2026-12-01T00:00:00+01:00"}`), &body)
	fmt.Println(err, body.Price+50) // hundredths
	text, _ := json.Marshal(body)
	fmt.Println(string(text))
	fmt.Println(field.At(time.UnixMilli(0)) < body.Until)
	// Output:
	// <nil> 13.00
	// {"name":"Black tea","price":"12.50","until":"2026-11-30T23:00:00.000Z"}
	// true
}

func ExampleIsEmail() {
	fmt.Println(field.IsEmail("jana@čaj.example"), field.IsEmail("jana@localhost"))
	fmt.Println(field.Email("Jana@Example.CZ").Fold()) // as it is compared
	// Output:
	// true false
	// jana@example.cz
}
