package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/base/guard"
)

// systemEvent is a system webhook of a package as its systemUrl is sent it.
type systemEvent struct {
	ID      string
	Event   events.Name
	Created time.Time
	Body    json.RawMessage
}

// late is how much later than others of its time a system webhook may come into the list.
const late = time.Minute

// listenPackage is listen for the system webhooks of a package on its developer's test shops. The newest are listed
// again and again, for late ones come between them; each is posted once.
func listenPackage(ctx context.Context, c *client, opts options) error {
	listener, err := opts.listener()
	if err != nil {
		return err
	}
	gone := "you have no package " + opts.pkg + " (any more): it was deleted, or is another developer's"
	if _, err := ask[object](ctx, c, "GET", "/developer/packages/"+opts.pkg, nil); err != nil {
		return unlessThere(err, gone)
	}
	begin, from, posted := c.at, c.at, map[string]bool{}
	opts.tell(object{"following": c.url, "package": opts.pkg, "to": opts.to},
		"Following the package %s at %s, posting to %s.", opts.pkg, c.url, opts.to)
	listener.tellKey()
	for {
		news, err := list[systemEvent](ctx, c, "/developer/packages/"+opts.pkg+"/system-events?itemsPerPage=250"+
			"&created[after]="+from.Add(-late).UTC().Format(time.RFC3339))
		if err := listener.passing(ctx, err); err != nil {
			return unlessThere(err, gone)
		}
		for _, e := range news {
			if !posted[e.ID] && !e.Created.Before(begin) && opts.wants(e.Event) {
				posted[e.ID] = true
				listener.deliver(ctx, events.Call{Event: e.Event}, e.ID, e.Body)
			}
			if e.Created.After(from) {
				from = e.Created
			}
		}
		if !guard.Wait(ctx, opts.Every) {
			return nil
		}
	}
}

// ofPackage are the events of a package's life, by the operation on its access that makes each happen.
var ofPackage = map[events.Name]string{events.PackageActivate: "activate", events.PackageDeactivate: "deactivate",
	events.PackageOpenInstructions: "open-instructions"}

// triggerPackage makes an event of a package's life happen on the first test shop that has it. An activation of an
// active package begins with a deactivation.
func triggerPackage(ctx context.Context, c *client, opts options) error {
	if opts.wait {
		return errors.New("trigger --wait is of deliveries to an access: leave out --package, or see them by listen")
	}
	does, is := ofPackage[events.Name(opts.argument)]
	if !is {
		return errors.New("trigger --package takes packageActivate, packageDeactivate or packageOpenInstructions")
	}
	path, state, err := opts.access(ctx, c)
	if err != nil {
		return err
	}
	steps := []string{does}
	switch {
	case does == "activate" && state == "active":
		steps = []string{"deactivate", does}
	case does == "deactivate" && state != "active":
		steps = []string{"activate", does}
	}
	for _, step := range steps {
		if _, err := ask[object](ctx, c, "POST", path+"/"+step, nil); err != nil {
			return err
		}
	}
	opts.tell(object{"event": opts.argument, "access": path}, "%s has happened at %s", opts.argument, path)
	return nil
}

// access is the path and the state of an access of the package on a test shop.
func (o options) access(ctx context.Context, c *client) (path, state string, err error) {
	shops, err := list[struct{ ID string }](ctx, c, "/developer/shops?itemsPerPage=250")
	for _, s := range shops {
		of := "/developer/shops/" + s.ID + "/accesses"
		all, wrong := list[struct{ ID, PackageID, State string }](ctx, c, of+"?itemsPerPage=250")
		err = errors.Join(err, wrong)
		for _, a := range slices.Backward(all) {
			if a.PackageID == o.pkg {
				return of + "/" + a.ID, a.State, nil
			}
		}
	}
	if err != nil {
		return "", "", err
	}
	return "", "", fmt.Errorf("no test shop of yours has the package %s: install it by POST "+
		"/developer/shops/{shopId}/accesses", o.pkg)
}
