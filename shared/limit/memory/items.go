package memory

import (
	"fmt"
	"time"

	"eshop/shared/store"
)

// kept is how long a day's counts stay in the table after it is over, in days.
const kept = 3

// key is `access#yyyymmdd`, `A` (architecture, "Keys").
func key(p place) store.Key {
	return store.Key{PK: p.access + "#" + time.Unix(p.day*86400, 0).UTC().Format("20060102"), SK: "A"}
}

// hours are the names of the hours' numbers, "total" the day's.
var hours = func() (names [24]string) {
	for h := range names {
		names[h] = fmt.Sprintf("h%02d", h)
	}
	return names
}()

// item is the day as the table keeps it: hours in which nothing was charged are left out.
func (d *day) item() store.Item {
	num := map[string]int64{"total": d.total}
	for h, n := range d.hours {
		if n != 0 {
			num[hours[h]] = n
		}
	}
	return store.Item{Key: key(d.place), Num: num, Expires: (d.day + 1 + kept) * 86400}
}

// read is the opposite of item; nothing for a day without one.
func (d *day) read(i *store.Item) {
	if i == nil {
		return
	}
	d.total = i.Num["total"]
	for h := range d.hours {
		d.hours[h] = i.Num[hours[h]]
	}
}
