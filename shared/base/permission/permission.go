// Package permission is what an access may do (contract, "Permissions").
package permission

// Permission is one thing that an access may do. Write does not imply read.
type Permission string

// The permissions.
const (
	ReadCustomers  Permission = "customers:read"
	WriteCustomers Permission = "customers:write"
	ReadProducts   Permission = "products:read"
	WriteProducts  Permission = "products:write"
	ReadOrders     Permission = "orders:read"
	WriteOrders    Permission = "orders:write"
	ReadCoupons    Permission = "coupons:read"
	WriteCoupons   Permission = "coupons:write"
	ReadURLs       Permission = "urls:read"
	WriteURLs      Permission = "urls:write"
	WriteQuotes    Permission = "quotes:write"
	ReadCodes      Permission = "codes:read"
	WriteCodes     Permission = "codes:write"
	ReadShop       Permission = "shop:read"
)

// All are all there are, in the contract's order.
var All = []Permission{ReadCustomers, WriteCustomers, ReadProducts, WriteProducts, ReadOrders, WriteOrders,
	ReadCoupons, WriteCoupons, ReadURLs, WriteURLs, WriteQuotes, ReadCodes, WriteCodes, ReadShop}
