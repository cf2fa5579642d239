package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"eshop/events"
)

// resend sends a delivery again.
func resend(ctx context.Context, c *client, o options) error {
	d, err := ask[delivery](ctx, c, "POST",
		"/api-engine/webhook-deliveries/"+url.PathEscape(o.argument)+"/redeliver", nil)
	if err == nil {
		o.tell(d, "%s %s goes to %s once more", d.ID, d.Event, d.ReceiverID)
	}
	return err
}

// trigger makes an event happen by a real change of a record, which it makes for this purpose. Some events are caused
// by people in the admin only. They are sent as test events to each receiver of the access.
func trigger(ctx context.Context, c *client, opts options) error {
	mark := strings.ToLower(rand.Text()[:8])
	if !opts.wait {
		return opts.happen(ctx, c, mark)
	}
	c.request = "trigger-" + mark
	if err := opts.happen(ctx, c, mark); err != nil {
		return err
	}
	return opts.told(ctx, c, events.Name(opts.argument))
}

// happen is trigger without what comes of it.
func (opts options) happen(ctx context.Context, c *client, mark string) error {
	switch events.Name(opts.argument).Row().About.Kind {
	case events.Customers:
		return opts.record(ctx, c, "/api-engine/customers",
			object{"email": "trigger-" + mark + "@example.com", "firstName": "Trigger", "lastName": mark},
			object{"phone": "+420 600 000 000"})
	case events.Products:
		return opts.record(ctx, c, "/api-engine/products", product(mark), object{"name": "Triggered again " + mark})
	case events.Orders:
		return opts.order(ctx, c, mark)
	}
	return opts.tests(ctx, c)
}

// product is a product of the trigger's own, which nobody can buy.
func product(mark string) object {
	return object{"code": "TRIGGER-" + mark, "name": "Triggered " + mark, "active": false,
		"stock": object{"quantity": 1}, "priceLevels": []object{{"level": "default", "price": "1.00"}}}
}

// record makes a record, and then changes or deletes it if the event tells of that.
func (o options) record(ctx context.Context, c *client, path string, made, change object) error {
	record, err := ask[struct{ ID string }](ctx, c, "POST", path, made)
	if err != nil {
		return err
	}
	o.tell(object{"made": path + "/" + record.ID}, "made %s/%s", path, record.ID)
	event := events.Name(o.argument)
	switch on := event.Row().On; {
	case event == events.CustomerErase:
		_, err = ask[object](ctx, c, "DELETE", path+"/"+record.ID+"?erase=true", nil)
	case on[0] == events.Changed:
		_, err = ask[object](ctx, c, "PATCH", path+"/"+record.ID, change)
	case on[0] == events.Deleted:
		_, err = ask[object](ctx, c, "DELETE", path+"/"+record.ID, nil)
	}
	if err == nil {
		o.tell(object{"event": o.argument}, "%s has happened", o.argument)
	}
	return err
}

// order makes an order of a product of the trigger's own, and deletes the product again. The order keeps its lines,
// which are a snapshot (contract, "Orders").
func (o options) order(ctx context.Context, c *client, mark string) error {
	of := product(mark)
	of["active"] = true
	product, err := ask[struct{ ID string }](ctx, c, "POST", "/api-engine/products", of)
	if err != nil {
		return err
	}
	made, err := ask[struct{ ID, Number string }](ctx, c, "POST", "/api-engine/orders",
		object{"email": "trigger-" + mark + "@example.com",
			"items": []object{{"productId": product.ID, "quantity": 1}}, "note": "Made by eshop trigger"})
	_, gone := ask[object](ctx, c, "DELETE", "/api-engine/products/"+product.ID, nil)
	if err = errors.Join(err, gone); err == nil {
		o.tell(object{"event": o.argument, "orderId": made.ID, "number": made.Number},
			"orderChange has happened: order %s of product %s, which is deleted again", made.Number, product.ID)
	}
	return err
}

// tests sends a test event to each receiver. A receiver that refuses it does not stop the others.
func (o options) tests(ctx context.Context, c *client) error {
	receivers, err := ask[page[struct{ ID, URL, State string }]](ctx, c, "GET", "/api-engine/webhooks", nil)
	if err != nil {
		return err
	}
	if len(receivers.Items) == 0 {
		return fmt.Errorf("this access has no receiver, and a test %s goes to receivers only (eshop listen brings "+
			"changes of records): register one at /api-engine/webhooks", o.argument)
	}
	var refused error
	for _, r := range receivers.Items {
		_, err := ask[object](ctx, c, "POST", "/api-engine/webhooks/"+r.ID+"/test", object{"event": o.argument})
		if err != nil {
			refused = errors.Join(refused, fmt.Errorf("%s: %w", r.URL, err))
			continue
		}
		o.tell(object{"event": o.argument, "test": true, "receiverId": r.ID, "url": r.URL}, "a test %s goes to %s",
			o.argument, r.URL)
	}
	return refused
}
