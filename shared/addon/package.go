package addon

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Package is an add-on as the operator sees it, and as its item keeps it.
type Package struct {
	record.Head
	PackageFields
	Developer string `json:"developerId,omitempty" doc:"The developer whose package it is"`
}

// PackageFields are what the operator writes of a package.
type PackageFields struct {
	Code         field.Code        `json:"code" doc:"The package's own code, unique among all packages"`
	Name         field.Name        `json:"name"`
	Instructions field.Text        `json:"instructions" doc:"How to install it, Markdown; a shop's admin can open it"`
	Permissions  field.Permissions `json:"permissions" required:"false"`
	SystemURL    field.URL         `json:"systemUrl,omitempty" doc:"Where system webhooks go; the address rules are those of receivers"`
}

// Defaults are the values of what a new package does not say.
func (f *PackageFields) Defaults() { f.Permissions = field.Permissions{} }

// System is what the pipeline of webhooks does for a package's systemUrl. It is given to Packages, because this package
// is below the pipeline's.
type System struct {
	// Check finds a fault in an address that may not be called.
	Check func(ctx context.Context, faults *problem.Faults, at string, address field.URL)
	// Changed are the operations by which the deliveries to systemUrl follow a change of the package.
	Changed func(was, now Package, at time.Time) []store.Op
	// Follow begins with what follows from a change that the operations of Changed have written down.
	Follow func(ctx context.Context, was, now Package, at time.Time)
}

// Packages are the packages of the platform as records. They are of no shop, and no webhook tells of them. Their
// callers are dropped once they are written. One that is installed on no shop can be deleted.
func Packages(system System, callers *Resolver) *record.Kind[Package, PackageFields] {
	return packages.With(record.Along[Package]{
		Extend: func(ctx context.Context, u *change.Unit, s *record.Step[Package]) error {
			if s.After == nil {
				return system.leave(ctx, u, s)
			}
			was, now := before(s), *s.After
			s.Ops = append(s.Ops, system.Changed(was, now, now.Changed.Go())...)
			return system.check(ctx, was, now)
		},
		AfterTry: func(ctx context.Context, u *change.Unit, step *record.Step[Package], err error) {
			if step.After == nil {
				if err == nil {
					purgeKeys(ctx, u.Table, step.Before.ID)
				}
				return
			}
			callers.DropPackage(step.After.ID)
			if err == nil {
				system.Follow(ctx, before(step), *step.After, step.After.Changed.Go())
			}
		},
	})
}

// leave completes the deletion of a package: its systemUrl goes, its code is free, and its developer has room for
// another. While a shop has it installed it is package_installed. An index says so, which on AWS may lag by a second:
// of a package that was installed in that second an access may stay, to which nobody is let in.
func (s System) leave(ctx context.Context, u *change.Unit, step *record.Step[Package]) error {
	was := *step.Before
	installed, err := u.Table.Query(ctx, store.Query{Index: store.Index2, PK: installationsOf(was.ID), Limit: 1})
	if err != nil {
		return err
	}
	if len(installed.Items) > 0 {
		return problem.Conflict("package_installed", "A shop has the package installed: delete its access first.")
	}
	now := was
	now.SystemURL = ""
	step.Ops = append(step.Ops, s.Changed(was, now, u.Now())...)
	if was.Developer != "" {
		step.Ops = append(step.Ops, store.Update(quotaKey(was.Developer),
			store.Set{Add: map[string]int64{numPackages: -1}}))
	}
	return nil
}

// purgeKeys deletes the keys that signed what went to a package's systemUrl. Those that it leaves are nobody's.
func purgeKeys(ctx context.Context, t store.Table, pkg string) {
	if err := record.Purge(ctx, t, tokenIDKey(pkg, "").PK); err != nil {
		slog.WarnContext(ctx, "the keys of a deleted package stay", "partition", tokenIDKey(pkg, "").PK, "error",
			err)
	}
}

// before is the package that a step changes; the zero one of a new package.
func before(s *record.Step[Package]) Package {
	if s.Before == nil {
		return Package{}
	}
	return *s.Before
}

// check refuses a package that breaks the rules. It does not judge an address again that the package had before.
func (s System) check(ctx context.Context, was, now Package) error {
	var faults problem.Faults
	check(&faults, now.Permissions, permission.All)
	if now.SystemURL != "" && now.SystemURL != was.SystemURL {
		s.Check(ctx, &faults, "systemUrl", now.SystemURL)
	}
	return faults.Err()
}

// check refuses permissions that are given twice, or that are not among all, the package's.
func check(faults *problem.Faults, given, all []permission.Permission) {
	for i, p := range given {
		at := "permissions[" + strconv.Itoa(i) + "]"
		switch {
		case slices.Contains(given[:i], p):
			faults.Add(at, problem.Duplicate, "is in the list twice")
		case !slices.Contains(all, p):
			faults.Add(at, problem.Conflicting, "is not one of the package's permissions")
		}
	}
}
