package frontend

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
)

var (
	//go:embed eshop.js
	eshop []byte
	//go:embed storefront.js
	storefront []byte
	//go:embed eshop.schema.json
	schema []byte
	//go:embed eshop.d.ts
	types []byte
)

// Asset is a file that is the same for all shoppers.
type Asset struct {
	Path         string // on each storefront
	Type         string
	CacheControl string
	Body         []byte
}

// The files of the contract.
var (
	Script     = Fixed("eshop.js", "text/javascript; charset=utf-8", eshop)
	Storefront = Fixed("storefront.js", "text/javascript; charset=utf-8", storefront)
	Schema     = Asset{"/frontend/v1/eshop.schema.json", "application/schema+json", hour, schema}
	Types      = Asset{"/frontend/v1/eshop.d.ts", "text/plain; charset=utf-8", hour, types}
)

// Assets are all of them: a storefront serves each at its path.
var Assets = []Asset{Script, Storefront, Schema, Types}

const (
	hour = "public, max-age=3600"
	year = "public, max-age=31536000, immutable"
)

// Fixed is a file with an address by its content: what is there never changes, so browsers keep it for a year.
func Fixed(name, contentType string, body []byte) Asset {
	sum := sha256.Sum256(body)
	return Asset{"/static/" + hex.EncodeToString(sum[:8]) + "/" + name, contentType, year, body}
}
