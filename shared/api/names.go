package api

import (
	"context"

	"eshop/shared/field"
	"eshop/shared/permission"
	"eshop/shared/problem"
	"eshop/shared/record"
)

// What lies in packages of its own now, under the names that operations know it by.
type (
	Problem    = problem.Problem
	Fault      = problem.Fault
	Faults     = problem.Faults
	Permission = permission.Permission
	Name       = field.Name
	Line       = field.Line
	Code       = field.Code
	Text       = field.Text
	Money      = field.Money
	Time       = field.Time
	Email      = field.Email
)

// The codes of faults.
const (
	Required     = problem.Required
	UnknownField = problem.UnknownField
	ReadOnly     = problem.ReadOnly
	WrongType    = problem.WrongType
	TooLong      = problem.TooLong
	TooMany      = problem.TooMany
	TooSmall     = problem.TooSmall
	TooBig       = problem.TooBig
	BadFormat    = problem.BadFormat
	Unknown      = problem.Unknown
	Inactive     = problem.Inactive
	Duplicate    = problem.Duplicate
	Conflicting  = problem.Conflicting
)

// The permissions.
const (
	ReadCustomers  = permission.ReadCustomers
	WriteCustomers = permission.WriteCustomers
	ReadProducts   = permission.ReadProducts
	WriteProducts  = permission.WriteProducts
	ReadOrders     = permission.ReadOrders
	ReadCoupons    = permission.ReadCoupons
	ReadURLs       = permission.ReadURLs
	WriteURLs      = permission.WriteURLs
	ReadShop       = permission.ReadShop
)

// Permissions are all there are.
var Permissions = permission.All

// The problems.
var (
	NotFound        = problem.NotFound
	Invalid         = problem.Invalid
	InvalidAt       = problem.InvalidAt
	Refused         = problem.Refused
	Conflict        = problem.Conflict
	VersionConflict = problem.VersionConflict
	Unavailable     = problem.Unavailable
	Forbidden       = problem.Forbidden
	IsProblem       = problem.Is
	At              = field.At
)

// Lacking is the 403 of a caller without a permission.
func Lacking(p Permission) *Problem { return problem.Lacking(string(p)) }

// Again begins a write anew that others were faster than.
func Again[O any](ctx context.Context, once func() (*O, error)) (*O, error) {
	return record.Again(ctx, once)
}
