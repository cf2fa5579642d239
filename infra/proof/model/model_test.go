package model

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Versions as the platform has them: ids, of which the first ten characters are the moment.
const (
	v1     = "01M7XXKEG7ZVFRE0EM6N6D5N1T"
	v2     = "01M7XXKEG8ZVFRE0EM6N6D5N1T"
	v2also = "01M7XXKEG8ZVFRE0EM6N6D5N2T" // of the same millisecond
	v3     = "01M7XXKEG9ZVFRE0EM6N6D5N1T"
)

// told is one operation that ends before the next one begins, unless it is beside the next.
type told struct {
	in, out any
	status  int
	beside  bool
}

func record1(do Do, value, ifMatch string, status int, is, version string) told {
	return told{in: RecordAsk{do, value, ifMatch}, out: RecordAnswer{status, is, version}, status: status}
}

func stock(by, status, there int) told {
	return told{in: StockAsk{By: by}, out: StockAnswer{status, there}, status: status}
}

func stockSet(to int) told {
	return told{in: StockAsk{Sets: true, To: to}, out: StockAnswer{Status: 200}, status: 200}
}

func stockRead(there int) told {
	return told{in: StockAsk{Read: true}, out: StockAnswer{200, there}, status: 200}
}

func coupon(status int) told {
	return told{in: CouponAsk{Limit: 1}, out: CouponAnswer{Status: status}, status: status}
}

func quote(status int) told { return told{in: QuoteAsk{}, out: status, status: status} }

func claim(frees bool, status int) told {
	return told{in: ClaimAsk{frees}, out: status, status: status}
}

func beside(o told) told { o.beside = true; return o }

func TestAHistoryIsPossible(t *testing.T) {
	for name, c := range map[string]struct {
		kind     string
		possible bool
		ops      []told
	}{
		"a record is read as it was written": {Record, true, []told{record1(Create, "a", "", 201, "a", v1),
			record1(Change, "b", v1, 200, "b", v2), record1(Read, "", "", 200, "b", v2)}},
		"a read of before": {Record, false, []told{record1(Create, "a", "", 201, "a", v1),
			record1(Change, "b", v1, 200, "b", v2), record1(Read, "", "", 200, "a", v1)}},
		"a read of before beside the write": {Record, true, []told{record1(Create, "a", "", 201, "a", v1),
			beside(record1(Change, "b", v1, 200, "b", v2)), record1(Read, "", "", 200, "a", v1)}},
		"two writers of one version": {Record, false, []told{record1(Create, "a", "", 201, "a", v1),
			record1(Change, "b", v1, 200, "b", v2), record1(Change, "c", v1, 200, "c", v3)}},
		"the second is refused": {Record, true, []told{record1(Create, "a", "", 201, "a", v1),
			record1(Change, "b", v1, 200, "b", v2), record1(Change, "c", v1, 412, "", "")}},
		"a current version is refused": {Record, false, []told{record1(Create, "a", "", 201, "a", v1),
			record1(Change, "b", v1, 412, "", "")}},
		"what never came was done": {Record, true, []told{record1(Create, "a", "", 201, "a", v1),
			record1(Change, "b", "", Unknown, "", ""), record1(Read, "", "", 200, "b", v2)}},
		"a condition that held was the version": {Record, false, []told{record1(Create, "a", "", 201, "a", v1),
			record1(Change, "b", "", Unknown, "", ""), record1(Change, "c", v2, 200, "c", ""),
			record1(Read, "", "", 200, "c", v2)}},
		"what never came was not done": {Record, true, []told{record1(Create, "a", "", 201, "a", v1),
			record1(Change, "b", "", Unknown, "", ""), record1(Read, "", "", 200, "a", v1)}},
		"what never came was done twice": {Record, false, []told{record1(Create, "a", "", 201, "a", v1),
			record1(Change, "b", "", Unknown, "", ""), record1(Read, "", "", 200, "b", v2),
			record1(Change, "a", "", 200, "a", v3), record1(Read, "", "", 200, "b", v2)}},
		"a write that changes nothing moves the version": {Record, false, []told{
			record1(Create, "a", "", 201, "a", v1), record1(Change, "a", "", 200, "a", v2)}},
		"a version of the same millisecond": {Record, false, []told{record1(Create, "a", "", 201, "a", v2),
			record1(Change, "b", "", 200, "b", v2also)}},
		"a deleted record is there": {Record, false, []told{record1(Create, "a", "", 201, "a", v1),
			record1(Delete, "", "", 204, "", ""), record1(Read, "", "", 200, "a", v1)}},
		"a deleted record is gone": {Record, true, []told{record1(Create, "a", "", 201, "a", v1),
			record1(Delete, "", v1, 204, "", ""), record1(Read, "", "", 404, "", ""),
			record1(Delete, "", "", 404, "", "")}},

		"stock is taken": {Stock, true, []told{stockSet(2), stock(-1, 201, 0), stock(-1, 201, 0), stock(-1, 409, 0),
			stock(1, 200, 0), stockRead(1)}},
		"stock is sold twice":  {Stock, false, []told{stockSet(1), stock(-1, 201, 0), stock(-1, 201, 0)}},
		"stock is lost":        {Stock, false, []told{stockSet(2), stock(-1, 201, 0), stockRead(0)}},
		"refused though there": {Stock, false, []told{stockSet(2), stock(-1, 409, -1)}},
		"perhaps sold":         {Stock, true, []told{stockSet(2), stock(-1, Unknown, 0), stockRead(2)}},
		"perhaps sold, and was": {Stock, true, []told{stockSet(2), stock(-1, Unknown, 0), stockRead(1),
			stock(-2, 409, 1)}},

		"a coupon is used once":  {Coupon, true, []told{coupon(201), coupon(422)}},
		"a coupon is used twice": {Coupon, false, []told{coupon(201), coupon(201)}},
		"a coupon is refused":    {Coupon, false, []told{coupon(422), coupon(201)}},
		"a coupon perhaps used":  {Coupon, true, []told{coupon(Unknown), coupon(201)}},
		"a quote is used once":   {Quote, true, []told{quote(201), quote(409)}},
		"a quote is used twice":  {Quote, false, []told{quote(201), quote(201)}},
		"a quote used by nobody": {Quote, false, []told{quote(409)}},
		"a quote perhaps used":   {Quote, true, []told{quote(Unknown), quote(409)}},
		"an e-mail is free again": {Claim, true, []told{claim(false, 201), claim(false, 409), claim(true, 204),
			claim(false, 201)}},
		"an e-mail is taken twice":    {Claim, false, []told{claim(false, 201), claim(false, 201)}},
		"an e-mail is not given back": {Claim, false, []told{claim(false, 201), claim(true, 204), claim(false, 409)}},
		"a free e-mail is refused":    {Claim, false, []told{claim(false, 409)}},
		"an e-mail perhaps taken":     {Claim, true, []told{claim(false, Unknown), claim(false, 409)}},
		"an e-mail perhaps given back": {Claim, true, []told{claim(false, 201), claim(true, Unknown),
			claim(false, 201)}},
		"a refusal uses no quote": {Quote, true, []told{quote(422), quote(201)}},
	} {
		t.Run(name, func(t *testing.T) {
			h := NewHistory()
			var begun []int64
			for i, o := range c.ops {
				begun = append(begun, h.Now())
				if !o.beside {
					h.End(i, Object{c.kind, "x"}, begun[i], o.in, o.out, o.status)
				}
			}
			for i, o := range c.ops {
				if o.beside {
					h.End(i, Object{c.kind, "x"}, begun[i], o.in, o.out, o.status)
				}
			}
			if err := h.Check(); c.possible {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
			}
			require.Equal(t, len(c.ops), h.Operations())
		})
	}
}

func TestNumbersAreGivenOnceAndRise(t *testing.T) {
	for name, c := range map[string]struct {
		possible bool
		all      []numbered
	}{
		"one after the other":              {true, []numbered{{1, 2, "2026000001"}, {3, 4, "2026000003"}}},
		"beside each other":                {true, []numbered{{1, 4, "2026000002"}, {2, 3, "2026000001"}}},
		"twice":                            {false, []numbered{{1, 2, "2026000001"}, {3, 4, "2026000001"}}},
		"back":                             {false, []numbered{{1, 2, "2026000002"}, {3, 4, "2026000001"}}},
		"over a New Year that comes again": {true, []numbered{{1, 2, "2026000001"}, {3, 4, "2025000002"}}},
		"none at all":                      {false, nil},
		"years apart":                      {false, []numbered{{1, 2, "2026000001"}, {3, 4, "2024000002"}}},
		"of no year":                       {false, []numbered{{1, 2, "2026000001"}, {3, 4, "x026000002"}}},
		"twice, in two years":              {false, []numbered{{1, 2, "2025000001"}, {3, 4, "2026000001"}}},
		"seven digits are more":            {true, []numbered{{1, 2, "2026999999"}, {3, 4, "20261000000"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var n Numbers
			for _, one := range c.all {
				n.Add(one.begun, one.ended, one.number)
			}
			require.Equal(t, c.possible, n.Check() == nil)
		})
	}
}

func TestAHistoryLacksWhatWasNeverDone(t *testing.T) {
	h := NewHistory()
	do := func(kind string, in any, status int) { h.End(1, Object{kind, "x"}, h.Now(), in, nil, status) }
	do(Record, RecordAsk{Do: Read}, 200)
	do(Record, RecordAsk{Do: Delete}, 204)
	do(Stock, StockAsk{Read: true}, 200)
	do(Stock, StockAsk{Sets: true}, 200)
	do(Stock, StockAsk{By: -1}, 403)
	do(Coupon, CouponAsk{Read: true}, 200)
	do(Quote, QuoteAsk{}, Unknown)
	require.Equal(t, []string{"claim", "coupon", "quote", "record change", "record create", "stock taken"}, h.Lacks())
}

func TestARecordIsNeverShownAsItWasBefore(t *testing.T) {
	type view struct {
		begun, ended           int64
		etag, changed, content string
	}
	for name, c := range map[string]struct {
		possible bool
		all      []view
	}{
		"one after the other": {true, []view{{1, 2, "a", "01", "x"}, {3, 4, "b", "02", "y"}}},
		"back":                {false, []view{{1, 2, "b", "02", "y"}, {3, 4, "a", "01", "x"}}},
		"back, added first":   {false, []view{{3, 4, "a", "01", "x"}, {1, 2, "b", "02", "y"}}},
		"side by side":        {true, []view{{1, 4, "b", "02", "y"}, {2, 3, "a", "01", "x"}}},
		"the same again":      {true, []view{{1, 2, "a", "01", "x"}, {3, 4, "a", "01", "x"}}},
		"two under one ETag":  {false, []view{{1, 2, "a", "01", "x"}, {3, 4, "a", "01", "y"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var s Shown
			var err error
			for _, v := range c.all {
				err = errors.Join(err, s.Add("p", v.begun, v.ended, v.etag, v.changed, v.content))
			}
			require.Equal(t, c.possible, err == nil, "%v", err)
		})
	}
}

func TestAWindowOfALimit(t *testing.T) {
	for name, c := range map[string]struct {
		possible bool
		Window
	}{
		"all pass":                         {true, Window{Limit: 10, Passed: 10, Denied: 3}},
		"one too many":                     {false, Window{Limit: 10, Passed: 11}},
		"one that a crash forgot":          {true, Window{Limit: 10, Passed: 11, Forgotten: 1}},
		"one more than a crash may forget": {false, Window{Limit: 10, Passed: 12, Forgotten: 1}},
		"denied too soon":                  {false, Window{Limit: 10, Passed: 9, Denied: 1}},
		"denied too soon after a crash":    {false, Window{Limit: 10, Passed: 9, Denied: 1, Forgotten: 1}},
		"what never came may have passed":  {true, Window{Limit: 10, Passed: 9, Unknown: 1, Denied: 1}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.possible, c.Check() == nil) })
	}
}

func TestListenersHearOfAllThatHappenedAndOfNothingElse(t *testing.T) {
	l := Listener{Name: "l", Shop: "s", Package: "P", Events: []string{"customerChange"}}
	made, other := Subject{"s", "customerChange", "c", Admin}, Subject{"s", "productChange", "p", Admin}
	by := func(who string) Subject { return Subject{"s", "customerChange", "c", who} }
	killed := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	now := killed.Add(time.Hour)
	for name, c := range map[string]struct {
		possible bool
		happens  func(*Told)
	}{
		"nothing":        {true, func(*Told) {}},
		"one, and heard": {true, func(t *Told) { t.Happened(made, true); t.Heard("l", "1", now, made) }},
		"one, not heard": {false, func(t *Told) { t.Happened(made, true) }},
		"not its":        {true, func(t *Told) { t.Happened(other, true) }},
		"not its, heard": {false, func(t *Told) { t.Happened(other, true); t.Heard("l", "1", now, other) }},
		"heard too often": {false, func(t *Told) {
			t.Happened(made, true)
			t.Heard("l", "1", now, made)
			t.Heard("l", "2", now, made)
		}},
		"the same call once more": {false, func(t *Told) {
			t.Happened(made, true)
			t.Heard("l", "1", now, made)
			t.Heard("l", "1", now.Add(time.Hour), made)
		}},
		"again, when the answer was perhaps not kept": {true, func(t *Told) {
			t.Happened(made, true)
			t.Heard("l", "1", killed, made)
			t.Heard("l", "1", now, made)
		}},
		"again, when the second answer was perhaps not kept": {false, func(t *Told) {
			t.Happened(made, true)
			t.Heard("l", "1", killed.Add(-time.Hour), made)
			t.Heard("l", "1", killed, made)
		}},
		"again, when no answer came": {true, func(t *Told) {
			t.Happened(made, true)
			t.Heard("l", "1", now, made)
			t.Heard("l", "1", time.Time{}, made)
		}},
		"perhaps":            {true, func(t *Told) { t.Happened(made, false) }},
		"perhaps, and heard": {true, func(t *Told) { t.Happened(made, false); t.Heard("l", "1", now, made) }},
		"heard, and never answered": {false, func(t *Told) {
			t.Happened(made, true)
			t.Heard("l", "1", time.Time{}, made)
		}},
		"by itself":  {true, func(t *Told) { t.Happened(by(Package("P")), true); t.Heard("l", "1", now, by(Self)) }},
		"by another": {true, func(t *Told) { t.Happened(by(Package("Q")), true); t.Heard("l", "1", now, by(Another)) }},
		"by two others": {true, func(t *Told) {
			t.Happened(by(Package("Q")), true)
			t.Happened(by(Package("R")), true)
			t.Heard("l", "1", now, by(Another))
			t.Heard("l", "2", now, by(Another))
		}},
		"by another, told as its own": {false, func(t *Told) {
			t.Happened(by(Package("Q")), true)
			t.Heard("l", "1", now, by(Self))
		}},
		"by a shopper, told as an admin's": {false, func(t *Told) {
			t.Happened(by(Shopper), true)
			t.Heard("l", "1", now, by(Admin))
		}},
		"of nothing": {false, func(t *Told) { t.Heard("l", "1", now, made) }},
	} {
		t.Run(name, func(t *testing.T) {
			all := NewTold()
			all.Kept = func(answered time.Time) bool { return !answered.Equal(killed) }
			c.happens(all)
			require.Equal(t, c.possible, all.Check(l) == nil)
		})
	}
}

func TestAListenerThatWantsNothingOfItsOwnHearsOfOthersAlone(t *testing.T) {
	l := Listener{Name: "l", Shop: "s", Package: "P", Events: []string{"customerChange"}, NotOwn: true}
	own, admins := Subject{"s", "customerChange", "c", Package("P")}, Subject{"s", "customerChange", "c", Admin}
	all := NewTold()
	all.Happened(own, true)
	require.NoError(t, all.Check(l))
	require.False(t, all.Waits(l))
	all.Happened(admins, true)
	require.Error(t, all.Check(l))
	require.True(t, all.Waits(l))
	all.Heard("l", "1", time.Now(), admins)
	require.NoError(t, all.Check(l))
	own.By = Self
	all.Heard("l", "2", time.Now(), own)
	require.Error(t, all.Check(l))
}

func TestTheFeedHasAllAndItsMomentsRise(t *testing.T) {
	entry := func(version, at string) Entry { return Entry{"customers", "c", "changed", version, at, Self} }
	for name, c := range map[string]struct {
		possible bool
		entries  []Entry
	}{
		"all":                   {true, []Entry{entry(v1, "1"), entry(v2, "2")}},
		"in another order":      {true, []Entry{entry(v2, "2"), entry(v1, "1")}},
		"one twice":             {true, []Entry{entry(v1, "1"), entry(v2, "2"), entry(v1, "1")}},
		"one is lacking":        {false, []Entry{entry(v1, "1")}},
		"a moment stands still": {false, []Entry{entry(v1, "1"), entry(v2, "1")}},
		"a moment goes back":    {false, []Entry{entry(v1, "2"), entry(v2, "1")}},
		"one at two moments":    {false, []Entry{entry(v1, "1"), entry(v2, "2"), entry(v2, "3")}},
		"by somebody else": {false, []Entry{{"customers", "c", "changed", v1, "1", Admin},
			{"customers", "c", "changed", v2, "2", Another}}},
	} {
		t.Run(name, func(t *testing.T) {
			var f Feed
			err := f.Add(c.entries...)
			if err == nil {
				err = f.Check([]string{Did(Self, "c", "changed"), v1, v2})
			}
			require.Equal(t, c.possible, err == nil)
		})
	}
}

// TestWhatARunExcusesIsCounted: all that the model lets pass only because something goes wrong, and no more of it than
// one percent.
func TestWhatARunExcusesIsCounted(t *testing.T) {
	h, told := NewHistory(), NewTold()
	h.End(1, Object{Stock, "x"}, h.Now(), StockAsk{Sets: true, To: 1}, StockAnswer{Status: 200}, 200)
	h.End(1, Object{Stock, "x"}, h.Now(), StockAsk{By: -1}, StockAnswer{}, Unknown)
	h.End(1, Object{Stock, "x"}, h.Now(), StockAsk{Read: true}, StockAnswer{}, Unknown) // a read says nothing anyway

	l := Listener{Name: "l", Shop: "s", Events: []string{"customerChange"}}
	of := func(id string) Subject { return Subject{"s", "customerChange", id, Admin} }
	now := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	told.Happened(of("done"), true)
	told.Heard("l", "1", now, of("done"))
	told.Heard("l", "1", now, of("done")) // again
	told.Happened(of("lost"), false)
	told.Heard("l", "2", now, of("lost"))
	told.Happened(of("lost and not done"), false)
	told.MayHave(of("perhaps none"))
	told.Heard("l", "3", now, of("perhaps none"))

	var f Feed
	require.NoError(t, f.Add(Entry{"customers", "c", "changed", v1, "1", Self}))

	var e Excused
	h.Excused(&e)
	told.Excused(l, &e)
	f.Excused([]string{v1, v2}, &e)
	Window{Limit: 10, Passed: 12, Denied: 1, Forgotten: 5}.Excused(&e)
	e.Requests(299)
	require.Equal(t, "excused 1.00 % of 299 requests (1 whose outcome nobody knows, 2 beyond a limit), "+
		"66.67 % of 3 webhooks (1 came again, 1 of changes without an answer), "+
		"50.00 % of 2 rows of the feed (1 missed by a follower)", e.String())
	require.NoError(t, e.Check(67))
	require.ErrorContains(t, e.Check(66), "webhooks")
	require.ErrorContains(t, e.Check(49), "rows")
	require.ErrorContains(t, e.Check(1), "requests")
	e.Requests(1)
	require.NotContains(t, e.Check(1).Error(), "requests")
	require.NoError(t, new(Excused).Check(1))
}
