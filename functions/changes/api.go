package changes

import (
	"context"
	"net/url"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/webhook/changefeed"
)

// Function is the change feed's API.
var Function = host.Function{
	Name: "changes", Doc: "The change feed: what happened to the shop's records, for those who pull.",
	HTTP:    register,
	Needs:   append([]host.Need{{Resource: host.Pipeline, Does: []host.Action{host.Read}}}, host.ReadingFrame...),
	Timeout: 10 * time.Second, Memory: 512,
}

func register(p *host.Platform, a *api.API) {
	d := door{p}
	api.Add(a, api.Op{Route: "GET /api-engine/changes", ID: "listChanges", Tag: "Change feed",
		Summary: "Follow what changes", Refuses: []int{410},
		Asks: func(c *change.Caller, q url.Values) permission.Permission { return lacking(c, q.Get("types")) },
		Doc: "Every change of the last 30 days, in an order that never skips one; one may come twice. `nextCursor` " +
			"is always there: go on with it. An empty page whose `nextCursor` is the one sent means that there is " +
			"nothing newer; after any other page ask on at once. Needs the `:read` permission of each type asked " +
			"for. 410 `feed_expired` of a cursor or `from` older than 30 days."}, d.list)
}

// door answers the operation.
type door struct{ *host.Platform }

// asked is the query of the feed.
type asked struct {
	api.Paging
	Types field.RecordKinds `query:"types" doc:"The types of records, with commas between. Absent: all that the access may read" example:"customers,orders"`
	From  string            `query:"from" format:"date-time" maxLength:"64" doc:"Changes made at or after this moment: RFC 3339, or a date for its 00:00 UTC. Absent: 30 days ago"`
}

// page is an answer under construction.
type page struct {
	entries []Change
	most    int // entries
	want    map[events.RecordKind]bool
	pkg     string   // of who reads
	since   int64    // unix milliseconds: earlier changes are not asked for
	at      position // behind all that was looked at
}

// list answers a page of the feed: permissions first, then where the page begins, then its entries. There is always a
// nextCursor, because the feed has no end.
func (d door) list(c *api.Call, in *asked) (*api.Collection[Change], error) {
	page := &page{most: in.ItemsPerPage, pkg: c.Package, entries: []Change{}}
	if missing := lacking(c.Caller, string(in.Types)); missing != "" { // of a cursor, too, which holds its types
		return nil, problem.Lacking(string(missing))
	}
	var err error
	if page.want, err = wanted(c.Caller, string(in.Types)); err != nil {
		return nil, err
	}
	if err := page.begin(in.From, c); err != nil {
		return nil, err
	}
	if err := d.follow(c, c.Shop, page); err != nil {
		return nil, err
	}
	out := &api.Collection[Change]{Body: api.Items[Change]{Items: page.entries}}
	out.GoOn(c, page.at.String())
	return out, nil
}

// begin puts the page at the position of the request's cursor, or else of its from.
func (p *page) begin(from string, c *api.Call) (err error) {
	if t, ok := api.Moment(from); ok {
		p.since = t.UnixMilli()
	}
	if c.Position() == "" {
		p.at, err = positionFrom(from, c.Now())
		return err
	}
	var ok bool
	if p.at, ok = parsePosition(c.Position()); !ok {
		return problem.Refused("bad_cursor",
			"This cursor is not one of this collection with these filters: start again without it.")
	}
	if p.at.time().Before(c.Now().Add(-changefeed.Retention)) {
		return expired()
	}
	return nil
}

// follow fills the page. In the one process a change is there at once (contract, "Change feed"). So a page that has
// room, while the batcher has not handled all changes yet, waits for that and reads once more.
func (d door) follow(ctx context.Context, shop string, p *page) error {
	handled := store.Lag(d.Main, "")
	if err := d.fill(ctx, shop, p); err != nil || len(p.entries) == p.most || !handled(ctx) {
		return err
	}
	return d.fill(ctx, shop, p)
}

// maxRows is how many rows a page looks at when types were chosen. That is one call of about a second; an empty page
// tells the client to ask on.
const maxRows = 1_000

// fill reads the first rows behind the page's position, in one call, and adds their entries.
func (d door) fill(ctx context.Context, shop string, page *page) error {
	feed := changefeed.Reader{Rows: d.Pipeline, Now: d.Now, Alone: d.Alone}
	rows, complete, err := feed.Read(ctx, shop, page.at.row, page.at.given == wholeRow, page.rows())
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		// An empty page moves to the beginning of a day: so the cursor of a client in a quiet shop never expires.
		if today := complete.UTC().Truncate(24 * time.Hour); page.at.time().Before(today) {
			page.at = positionOf(today)
		}
		return nil
	}
	page.add(ctx, rows)
	return nil
}

// rows is how many rows are read for the page. Without a choice of types each row has an entry, so it is the page's
// size.
func (p *page) rows() int {
	for _, s := range events.Subjects {
		if !p.want[s.Kind] {
			return maxRows
		}
	}
	return p.most
}

// add adds the entries of rows to the page until it is full. A row that cannot be read is logged and has no entries, so
// that it stops nobody's feed.
func (p *page) add(ctx context.Context, rows []store.Item) {
	for i := range rows {
		at := position{row: rows[i].SK}
		if at.row == p.at.row {
			at.given = p.at.given
		}
		change, err := changefeed.ChangeOf(&rows[i])
		if err != nil {
			record.LogUnreadable(ctx, rows[i].Key, err)
		}
		for _, r := range change.Records[min(at.given, len(change.Records)):] {
			if len(p.entries) == p.most {
				p.at = at
				return
			}
			at.given++
			if e := entry(change, r, p.pkg); p.want[r.Kind] && int64(e.At) >= p.since {
				p.entries = append(p.entries, e)
			}
		}
		p.at = position{row: at.row, given: wholeRow}
	}
}
