package memory

import (
	"fmt"
	"time"

	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
)

// retentionDays is how many days a day's counts stay in the table after it is over: the day of each of HistoryHours,
// and one to spare.
const retentionDays = 3

// secondsADay are those of a UTC day, which has no leap seconds in unix time.
const secondsADay = 24 * 60 * 60

// dayKey names what one access is charged on one day.
type dayKey struct {
	access string
	day    int64 // since 1970, UTC
}

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

// item is the day as the table stores it: hours in which nothing was charged are left out.
func (k dayKey) item(used limit.Used) store.Item {
	num := map[string]int64{"total": used.Total}
	for h, n := range used.Hours {
		if n != 0 {
			num[hours[h]] = n
		}
	}
	return store.Item{Key: key(k), Num: num, Expires: (k.day + 1 + retentionDays) * secondsADay}
}

// usedOf is the opposite of item; nothing for a day without one.
func usedOf(i *store.Item) (used limit.Used) {
	if i == nil {
		return used
	}
	used.Total = i.Num["total"]
	for h := range used.Hours {
		used.Hours[h] = i.Num[hours[h]]
	}
	return used
}
