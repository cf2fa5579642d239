package words_test

import (
	"fmt"

	"eshop/shared/words"
)

func Example() {
	tea := words.Of("Sypaný čaj Earl Grey", "TEA-EG")
	fmt.Println(words.Ask("grey ČAJ").Finds(tea), words.Ask("arl").Finds(tea))
	// Output: true false
}
