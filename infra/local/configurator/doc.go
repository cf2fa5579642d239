// Package configurator is an example for authors of add-ons: a tea blender that sells a catalog product at a price that
// it calculates. It is a program of its own. Of the platform it knows the HTTP API and the frontend contract and
// nothing else, so the folder can be copied out, given an address and a token, and served anywhere.
//
// # A tour
//
// Install (install.go) is what the add-on does when it comes to a shop: it finds its product, puts the widget into the
// shop's pages as a custom code, and makes the cleanup order by which the platform takes it out again when the package
// is deactivated. It calls the API with the client in platform.go.
//
// The widget (widget.html) runs in the shopper's browser. It listens to window.dataLayer[0].eshop, shows itself on its
// product's page, and shows an estimate while the shopper chooses. The button asks the backend for a quote:
//
//	browser ── the blend ──▶ backend.go ── POST /basket-price-quote-images, POST /basket-price-quotes ──▶ platform
//	browser ◀── {quoteToken, unitPrice} ── backend.go ◀── quoteToken ── platform
//	browser ── POST /basket/items {productId, quantity, quoteToken} ──▶ the shop
//
// What a blend costs is decided in blend.go, in the backend: the browser sends what was chosen and never a price, so
// nobody can name their own. The picture of the label (label.go) and the note let the merchant see on the order what to
// mix.
//
// The add-on's token stays in the backend. What is public, the page of the shop and the backend's answers, never has
// it.
package configurator
