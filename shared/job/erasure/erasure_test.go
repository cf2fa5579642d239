package erasure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/host/hosttest"
	"eshop/shared/job/erasure"
	"eshop/shared/people/customer"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/job"
	"eshop/shared/sale"
)

// world is a platform whose indexes lag, as on AWS, with a customer who has orders.
type world struct {
	*hosttest.World
	customer customer.Customer
	orders   []string
}

const shop = "01M7XXKEG7WVZ0Y3ZQ22GVBFT3"

func open(t *testing.T, orders int) *world {
	w := &world{World: hosttest.Open(t, hosttest.Setup{})}
	var err error
	w.customer, err = customer.Customers.Create(t.Context(), w.unit(), customer.Fields{Profile: customer.Profile{
		Email: "jana@example.com", FirstName: "Jana", LastName: "Nováková"}})
	require.NoError(t, err)
	for range orders {
		w.orders = append(w.orders, w.order())
	}
	w.Main.NewChanges()
	return w
}

// order is one of the customer's.
func (w *world) order() string {
	o := sale.Order{CustomerID: w.customer.ID, Email: "jana@example.com", Items: []sale.OrderLine{},
		DiscountCoupons: []sale.OrderDiscount{}}
	o.ID, o.StateID = w.P.NewID(), "state"
	o.SetVersion(w.unit().NextVersion(""))
	w.Put(w.Main, sale.Orders.Item(shop, o))
	return o.ID
}

func (w *world) unit() *change.Unit {
	u := w.P.Unit()
	u.Shop, u.Request = shop, w.P.NewID()
	return u
}

func (w *world) begin() *erasure.Job {
	w.T.Helper()
	j, err := w.P.Erasures().Begin(w.T.Context(), w.unit(), w.customer.ID)
	require.NoError(w.T, err)
	return j
}

// TestAnErasureGoesOnUntilNothingIsLeft erases 25 orders by tens, and is done two minutes after it began.
func TestAnErasureGoesOnUntilNothingIsLeft(t *testing.T) {
	w := open(t, 25)
	j := w.begin()
	told := w.Main.NewChanges()
	require.Len(t, told, 1)
	require.Equal(t, []events.Notice{{Event: events.CustomerErase,
		Data: []byte(`{"customerIds":["` + w.customer.ID + `"]}`)}}, told[0].Notices)
	require.Equal(t, events.Deleted, told[0].Records[0].Did)
	for _, want := range []erasure.Erasure{{State: job.Running, Erased: 11}, {State: job.Running, Erased: 21},
		{State: job.Running, Erased: 26}, {State: job.Running, Erased: 26}} {
		require.NoError(t, w.P.Erasures().Work(t.Context(), j, 10))
		want.ID = w.customer.ID
		require.Equal(t, want, j.Erasure)
	}
	require.Len(t, w.Main.NewChanges(), 25, "of each order its receivers are told")
	due := func() []store.Item {
		page, err := w.Main.Query(t.Context(), erasure.Jobs.Due(w.Clock.Now())[0])
		require.NoError(t, err)
		return page.Items
	}
	require.Empty(t, due())
	w.Clock.Pass(2*time.Minute + time.Second)
	require.Len(t, due(), 1)
	require.NoError(t, w.P.Erasures().Work(t.Context(), w.begin(), 10))
	require.Equal(t, job.Done, w.begin().State)
	w.Clock.Pass(time.Hour)
	require.Empty(t, due())
	require.Empty(t, w.Main.NewChanges())
	for _, id := range w.orders {
		o, err := sale.Orders.Read(t.Context(), w.Main, shop, id)
		require.NoError(t, err)
		require.Equal(t, "erased@example.invalid", string(o.Email))
	}
}

// TestAnOrderThatCameLateIsErasedToo: one that was under way when the erasure was done goes when it is asked for again.
func TestAnOrderThatCameLateIsErasedToo(t *testing.T) {
	w := open(t, 0)
	j := w.begin()
	w.Clock.Pass(3 * time.Minute)
	require.NoError(t, w.P.Erasures().Work(t.Context(), j, 10))
	require.Equal(t, job.Done, j.State)
	id := w.order()
	j, err := w.P.Erasures().Erase(t.Context(), w.unit(), w.customer.ID)
	require.NoError(t, err)
	require.Equal(t, erasure.Erasure{ID: w.customer.ID, State: job.Running, Erased: 2}, j.Erasure)
	o, err := sale.Orders.Read(t.Context(), w.Main, shop, id)
	require.NoError(t, err)
	require.Equal(t, "erased@example.invalid", string(o.Email))
}

// TestOneThatCannotBeErasedHoldsUpNoOther: an order that cannot be read leaves the erasure running, and the others go.
func TestOneThatCannotBeErasedHoldsUpNoOther(t *testing.T) {
	w := open(t, 3)
	bad := store.Item{Key: sale.OrderKey(shop, w.orders[1]), Version: w.P.NewID(), Doc: []byte("{")}
	bad.Index2 = record.IndexKey(sale.OrdersOfCustomer(shop, w.customer.ID), w.P.NewID(), w.orders[1])
	w.Put(w.Main, bad)
	j := w.begin()
	require.Error(t, w.P.Erasures().Work(t.Context(), j, 10))
	require.Equal(t, erasure.Erasure{ID: w.customer.ID, State: job.Running, Erased: 3}, j.Erasure)
}

// TestACustomerWhoWasDeletedBeforeIsErased for the sake of the orders. Who never was is nobody, and another shop's
// customer is not there.
func TestACustomerWhoWasDeletedBeforeIsErased(t *testing.T) {
	w := open(t, 1)
	require.NoError(t, customer.Customers.Delete(t.Context(), w.unit(), w.customer.ID))
	j := w.begin()
	require.NoError(t, w.P.Erasures().Work(t.Context(), j, 10))
	require.Equal(t, int64(1), j.Erased)
	other := w.unit()
	other.Shop = "01M7XXKEG7HDST93PJ8ZDYB21E"
	for _, u := range []*change.Unit{other, w.unit()} {
		id := w.customer.ID
		if u.Shop == shop {
			id = w.P.NewID()
		}
		_, err := w.P.Erasures().Begin(t.Context(), u, id)
		require.True(t, problem.Is(err, "not_found"), "%v", err)
	}
}

// TestAnErasureThatTwoWorkOnIsDoneOnce as it is where the sweeper comes while the request works.
func TestAnErasureThatTwoWorkOnIsDoneOnce(t *testing.T) {
	w := open(t, 3)
	one, two := w.begin(), w.begin()
	require.NoError(t, w.P.Erasures().Work(t.Context(), one, 10))
	require.NoError(t, w.P.Erasures().Work(t.Context(), two, 10))
	require.Equal(t, int64(4), w.begin().Erased)
}
