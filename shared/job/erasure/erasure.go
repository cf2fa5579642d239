// Package erasure takes a customer out of all that a shop keeps (contract, "Erasure"). The customer and all that
// belongs to it are deleted at once. Its orders, and the kept answers of requests about it, follow one by one: in the
// request that began, and then by the sweeper, which looks once more when every request of that time has ended.
// customerErase tells add-ons to delete what they have.
//
// A customer is erased once, so an erasure has its customer's id. Asking for it again finds it, and looks once more.
package erasure

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/people/customer"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/addondata"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
	"eshop/shared/sale"
	"eshop/shared/webhook"
)

// Erasure is how far the erasing of a customer has come.
type Erasure struct {
	ID     string    `json:"id" doc:"The customer's"`
	State  job.State `json:"state" enum:"running,done" doc:"done once nothing of the customer is left"`
	Erased int64     `json:"erased" doc:"How many records were erased so far: the customer and its orders"`
}

// Job is an erasure as its item holds it. It holds nothing of the customer but the id.
type Job struct {
	Erasure
	job.Head
	Shop    string
	Request string       // that began it, and told of it
	By      events.Actor // who asked for it
	Created field.Time   // when
}

// Key is the erasure's item.
func Key(customer string) store.Key { return store.Key{PK: "ER#" + customer, SK: "A"} }

// Jobs are the erasures that are not done. Nobody takes one: two that go on with it at once do each order once.
var Jobs = job.Kind{Name: "ERASURES", Shards: 1}

// settled is how long after the beginning every request of then has ended, and an index that lags has what it wrote.
func (e Erasures) settled() time.Duration {
	if e.Instant {
		return 15 * time.Second
	}
	return 2 * time.Minute
}

// again is when the sweeper looks at an erasure next.
const again = 10 * time.Second

// Item is the erasure as it is stored.
func (j *Job) Item() store.Item {
	return Jobs.Item(j.Head, j.ID, store.Item{Key: Key(j.ID),
		Text: map[string]string{"shop": j.Shop, "state": string(j.State), "request": j.Request,
			"by": string(j.By)},
		Num: map[string]int64{"erased": j.Erased, "created": int64(j.Created)}})
}

// Decode reads an erasure's item.
func Decode(i *store.Item) (*Job, error) {
	return &Job{Head: Jobs.Head(i), Shop: i.Text["shop"], Request: i.Text["request"], By: events.Actor(i.Text["by"]),
		Created: field.Time(i.Num["created"]), Erasure: Erasure{ID: strings.TrimPrefix(i.PK, "ER#"),
			State: job.State(i.Text["state"]), Erased: i.Num["erased"]}}, nil
}

// Read is the erasure of a customer; the problem not_found when there is none.
func Read(ctx context.Context, t store.Table, customer string) (*Job, error) {
	if !id.Valid(customer) {
		return nil, problem.NotFound()
	}
	return job.Read(ctx, t, Key(customer), Decode)
}

// Erasures are the commands on erasures.
type Erasures struct {
	Main, Rows store.Table         // Rows has the deliveries
	Unit       func() *change.Unit // a new one for each record, which is a change of its own
	Instant    bool                // indexes do not lag
	Log        *slog.Logger
}

// atOnce is how many orders are erased within the request that begins.
const atOnce = 20

// Erase begins to erase a customer, or finds that it was begun, and erases as many orders as a request has time for. If
// that fails, or there is more, the sweeper goes on.
func (e Erasures) Erase(ctx context.Context, u *change.Unit, of string) (*Job, error) {
	j, err := e.Begin(ctx, u, of)
	if err != nil {
		return nil, err
	}
	if err := e.Work(ctx, j, atOnce); err != nil {
		e.Log.WarnContext(ctx, "an erasure is left to the sweeper", "customer", of, "error", err)
	}
	return j, nil
}

// Begin deletes a customer of the shop for good and tells of it. One that was deleted before can be erased for its
// orders' sake. What is left to do is Work's.
func (e Erasures) Begin(ctx context.Context, u *change.Unit, of string) (*Job, error) {
	if j, err := e.begun(ctx, u.Shop, of); j != nil || err != nil {
		return j, err
	}
	now := u.Now() // one moment, by which Told finds the deliveries
	u = new(*u)
	u.Now = func() time.Time { return now }
	j := &Job{Erasure: Erasure{of, job.Running, 1}, Shop: u.Shop, Request: u.Request, By: u.By,
		Created: field.At(now), Head: job.Head{Version: u.NextVersion(""), Due: now.Add(again)}}
	data, err := json.Marshal(map[string][]string{"customerIds": {of}})
	if err != nil {
		return nil, err
	}
	told := events.Notice{Event: events.CustomerErase, Data: data}
	err = customer.Customers.With(record.Along[customer.Customer]{
		Extend: func(_ context.Context, _ *change.Unit, s *record.Step[customer.Customer]) error {
			s.Ops, s.Notices = append(s.Ops, store.Put(j.Item(), store.Absent())), append(s.Notices, told)
			return nil
		}}).Delete(ctx, u, of)
	if problem.Is(err, "not_found") {
		j.Erased = 0
		err = e.beginOfDeleted(ctx, u, of, told, store.Put(j.Item(), store.Absent()))
	}
	if _, there := store.Failed(err, Key(of)); there {
		return e.begun(ctx, u.Shop, of)
	}
	if err != nil {
		return nil, err
	}
	return j, nil
}

// begun is the erasure of a customer of the shop; nil if there is none.
func (e Erasures) begun(ctx context.Context, shop, of string) (*Job, error) {
	j, err := Read(ctx, e.Main, of)
	switch {
	case problem.Is(err, "not_found"):
		return nil, nil
	case err == nil && j.Shop != shop:
		return nil, problem.NotFound()
	}
	return j, err
}

// beginOfDeleted begins the erasure of a customer who was deleted before: there is a tombstone of it, or an order. If
// another request has begun it meanwhile, put fails, as it does in Begin.
func (e Erasures) beginOfDeleted(
	ctx context.Context, u *change.Unit, of string, told events.Notice, put store.Op,
) error {
	items, err := e.Main.Get(ctx, customer.Key(u.Shop, of), Key(of))
	if err != nil {
		return err
	}
	if items[0] == nil && items[1] == nil {
		orders, _, err := sale.OrdersBy(ctx, e.Main, u.Shop, of, "")
		if err != nil {
			return err
		}
		if len(orders) == 0 {
			return problem.NotFound()
		}
	}
	_, err = u.Write(ctx, nil, u.ChangeOf(nil, told), put)
	return err
}

// Work erases up to most orders of a customer, all kept answers about it, and what add-ons keep beside them. When
// nothing was left after every request of the beginning has ended, the erasure is done.
func (e Erasures) Work(ctx context.Context, j *Job, most int64) error {
	began := e.Unit().Now()
	erased, left, err := e.orders(ctx, j, most)
	now := *j
	now.Erased += erased
	err = errors.Join(err, e.answers(ctx, j),
		addondata.Purge(ctx, e.Main, j.Shop, events.Customers, j.ID))
	switch {
	case err != nil || left || erased > 0 || began.Sub(j.Created.Go()) < e.settled():
		now.State = job.Running
		now.Wait(e.Unit().Now().Add(again))
	case j.State == job.Done:
		return nil
	default:
		now.State = job.Done
		now.End()
	}
	failed := Jobs.Move(ctx, e.Unit(), &now, events.Nothing)
	if failed == nil {
		*j = now
	} else if !errors.Is(failed, job.ErrLost) {
		err = errors.Join(err, failed)
	}
	return err
}

// orders erases up to most orders, and says how many it did and whether there are more. One that cannot be erased holds
// up no other.
func (e Erasures) orders(ctx context.Context, j *Job, most int64) (erased int64, left bool, err error) {
	q := store.Query{Index: store.Index2, PK: sale.OrdersOfCustomer(j.Shop, j.ID)}
	for page, failed := range store.Pages(ctx, e.Main, q) {
		if failed != nil {
			return erased, true, errors.Join(err, failed)
		}
		for _, row := range page.Items {
			if erased == most || change.Late(ctx) {
				return erased, true, err
			}
			_, order, _ := strings.Cut(row.Index2.SK, "#")
			u := e.Unit()
			u.Shop, u.Request, u.By = j.Shop, u.NewID(), j.By
			err = errors.Join(err, addondata.Purge(ctx, e.Main, j.Shop, events.Orders, order))
			did, failed := sale.Erase(ctx, u, order)
			if failed != nil && !problem.Is(failed, "not_found") {
				err = errors.Join(err, failed)
			}
			if did {
				erased++
			}
		}
	}
	return erased, false, err
}

// answers empties the kept answers of requests about the customer. The keys stay used: a request that is sent again
// must not make the person anew.
func (e Erasures) answers(ctx context.Context, j *Job) (err error) {
	q := store.Query{Index: store.Index2, PK: change.KeptAbout(j.ID)}
	for page, failed := range store.Pages(ctx, e.Main, q) {
		if failed != nil {
			return errors.Join(err, failed)
		}
		for _, row := range page.Items {
			items, failed := e.Main.Get(ctx, row.Key)
			if failed == nil && items[0] != nil {
				_, failed = e.Main.Write(ctx, events.Nothing, store.Put(store.Item{Key: row.Key, Doc: change.KeptEmpty,
					Text: items[0].Text, Expires: items[0].Expires}))
			}
			err = errors.Join(err, failed)
		}
	}
	return err
}

// Told is a receiver that was told to erase a customer.
type Told struct {
	Access    string                `json:"accessId"`
	Receiver  string                `json:"receiverId"`
	Webhook   string                `json:"webhookId"`
	State     webhook.DeliveryState `json:"state" enum:"waiting,parked,delivered,exhausted,cancelled" doc:"delivered: it confirmed by 2xx"`
	Confirmed field.Time            `json:"confirmedAt,omitempty"`
}

// Told are the receivers that were told, with what became of it: for 30 days, as long as deliveries are kept.
func (e Erasures) Told(ctx context.Context, j *Job) ([]Told, error) {
	hooks, err := webhook.ReadHooks(ctx, e.Main, j.Shop)
	if err != nil {
		return nil, err
	}
	var all []Told
	var keys []store.Key
	what := events.Change{Request: j.Request, At: int64(j.Created)}
	for _, a := range hooks.Accesses {
		for _, r := range hooks.Receivers[a.ID] {
			one := Told{Access: a.ID, Receiver: r.ID, Webhook: what.WebhookID(events.CustomerErase, r.ID, 0)}
			all, keys = append(all, one), append(keys, webhook.RowKey(a.ID, one.Webhook))
		}
	}
	items, err := store.GetAll(ctx, e.Rows, keys)
	if err != nil {
		return nil, err
	}
	told := []Told{}
	for i, one := range all {
		d, there := webhook.ShowDelivery(items[i], e.Unit().Now())
		if !there {
			continue
		}
		if one.State = d.State; d.State == webhook.Delivered {
			one.Confirmed = d.Last.At
		}
		told = append(told, one)
	}
	return told, nil
}
