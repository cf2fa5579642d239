package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"eshop/infra/awscall"
)

// kept is how many of its newest versions a function keeps. They are what one can roll back to.
const kept = 20

type pruner struct {
	aws       awscall.Caller
	functions []string
}

// handle prunes each function, and then looks at the room that is left. A failure with one function does not stop the
// others.
func (p pruner) handle(ctx context.Context) error {
	var failed []error
	for _, function := range p.functions {
		if err := p.prune(ctx, function); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", function, err))
		}
	}
	return errors.Join(append(failed, p.room(ctx))...)
}

// prune deletes the versions of a function that are neither among its newest ones nor led to by an alias.
//
// The aliases are asked for before the versions. An alias that is moved in between leads to a new version, which stays,
// or Lambda refuses to delete the version that it leads to.
func (p pruner) prune(ctx context.Context, function string) error {
	used, err := p.used(ctx, function)
	if err != nil {
		return err
	}
	versions, err := p.versions(ctx, function)
	if err != nil {
		return err
	}
	slices.SortFunc(versions, func(a, b int) int { return cmp.Compare(b, a) })
	for _, v := range versions[min(kept, len(versions)):] {
		if used[strconv.Itoa(v)] {
			continue
		}
		if err := p.remove(ctx, function, v); err != nil {
			return err
		}
		slog.InfoContext(ctx, "deleted an old version", "function", function, "version", v)
	}
	return nil
}

// used are the versions to which an alias leads, in whole or in part.
func (p pruner) used(ctx context.Context, function string) (map[string]bool, error) {
	used := map[string]bool{}
	for marker := ""; ; {
		var page struct {
			NextMarker string
			Aliases    []struct {
				FunctionVersion string
				RoutingConfig   struct{ AdditionalVersionWeights map[string]float64 }
			}
		}
		if err := p.get(ctx, of(function)+"/aliases?Marker="+url.QueryEscape(marker), &page); err != nil {
			return nil, err
		}
		for _, a := range page.Aliases {
			used[a.FunctionVersion] = true
			for v := range a.RoutingConfig.AdditionalVersionWeights {
				used[v] = true
			}
		}
		if marker = page.NextMarker; marker == "" {
			return used, nil
		}
	}
}

// versions are the numbers of the function's versions. $LATEST, which is the function itself, is none.
func (p pruner) versions(ctx context.Context, function string) (all []int, err error) {
	for marker := ""; ; {
		var page struct {
			NextMarker string
			Versions   []struct{ Version string }
		}
		if err := p.get(ctx, of(function)+"/versions?Marker="+url.QueryEscape(marker), &page); err != nil {
			return nil, err
		}
		for _, v := range page.Versions {
			if n, err := strconv.Atoi(v.Version); err == nil {
				all = append(all, n)
			}
		}
		if marker = page.NextMarker; marker == "" {
			return all, nil
		}
	}
}

// remove deletes one version. The Qualifier must be there: without it the call would delete the whole function. If an
// alias has come to lead to the version, Lambda answers 409, and the version stays.
func (p pruner) remove(ctx context.Context, function string, version int) error {
	_, _, err := p.aws.Do(ctx, awscall.Request{Service: "lambda", Method: http.MethodDelete,
		Path: of(function) + "?Qualifier=" + strconv.Itoa(version)})
	var refusal *awscall.Refusal
	if errors.As(err, &refusal) && refusal.Status == http.StatusConflict {
		return nil
	}
	return err
}

// room is an error when the code of all functions of the account takes four fifths of what it may, in this region.
func (p pruner) room(ctx context.Context) error {
	var is struct {
		AccountLimit, AccountUsage struct{ TotalCodeSize int64 }
	}
	if err := p.get(ctx, "/2016-08-19/account-settings/", &is); err != nil {
		return err
	}
	most, taken := is.AccountLimit.TotalCodeSize, is.AccountUsage.TotalCodeSize
	if taken >= most/5*4 {
		return fmt.Errorf("the functions of this account take %d of %d MB of code in this region", taken>>20, most>>20)
	}
	return nil
}

// of is the path of a function.
func of(function string) string { return "/2015-03-31/functions/" + url.PathEscape(function) }

func (p pruner) get(ctx context.Context, path string, out any) error {
	answer, _, err := p.aws.Do(ctx, awscall.Request{Service: "lambda", Method: http.MethodGet, Path: path})
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, out)
}
