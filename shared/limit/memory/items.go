package memory

import (
	"fmt"
	"time"

	"eshop/shared/store"
)

// retentionDays is how many days a day's counts stay in the table after it is over: the day of each of HistoryHours,
// and one to spare.
const retentionDays = 3

// secondsADay are those of a UTC day, which has no leap seconds in unix time.
const secondsADay = 24 * 60 * 60

// key is `access#yyyymmdd`, `A` (shared/README.md, "Access patterns").
func key(k dayKey) store.Key {
	return store.Key{PK: k.access + "#" + time.Unix(k.day*secondsADay, 0).UTC().Format("20060102"), SK: "A"}
}

// hours are the names of the hours' numbers, "total" the day's.
var hours = func() (names [24]string) {
	for h := range names {
		names[h] = fmt.Sprintf("h%02d", h)
	}
	return names
}()

// item is the day with these counts as the table stores it: hours in which nothing was charged are left out.
func (k dayKey) item(c counts) store.Item {
	num := map[string]int64{"total": c.Total}
	for h, n := range c.Hours {
		if n != 0 {
			num[hours[h]] = n
		}
	}
	return store.Item{Key: key(k), Num: num, Expires: (k.day + 1 + retentionDays) * secondsADay}
}

// read is the opposite of item; nothing for a day without one.
func (d *day) read(i *store.Item) {
	if i == nil {
		return
	}
	d.Total = i.Num["total"]
	for h := range d.Hours {
		d.Hours[h] = i.Num[hours[h]]
	}
}
