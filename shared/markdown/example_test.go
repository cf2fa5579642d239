package markdown_test

import (
	"context"
	"fmt"

	"eshop/shared/markdown"
)

func Example() {
	text, _ := markdown.New().Lines(context.Background(), "# Contact\nStreet 1\nBrno [map](javascript:x)\n<script>")
	fmt.Print(text)
	// Output:
	// <h2>Contact</h2>
	// <p>Street 1<br>
	// Brno map</p>
	// <!-- raw HTML omitted -->
}
