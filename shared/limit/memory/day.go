package memory

import "eshop/shared/limit"

// counts are what an access was charged on a day, and of that in each of its hours.
type counts limit.Used

// day is the counts of one access on one day, and what the table says of them.
type day struct {
	dayKey
	counts
	written counts        // what the table says at least: never less than the counts, unless it could not be written
	block   int64         // by how much the table may be ahead, by the limits of the last charge
	hour    int64         // of the last charge
	writing chan struct{} // closed when the write under way is done; nil when there is none
	dirty   bool          // changed since it was last written down, and among its shard's dirty days
}

// dayKey names the counts of one access on one day.
type dayKey struct {
	access string
	day    int64 // since 1970, UTC
}

// blockOf is by how much the table may be ahead of what was charged: what a crash may cost (contract, section 10).
func blockOf(l limit.Limits) int64 { return max(1, min(l.Hourly, l.Daily)/100) }

// standing is what is left of the limits, and which of them a charge would exceed.
func (d *day) standing(l limit.Limits, cost, hour int64) limit.Standing {
	s := limit.Standing{Hourly: max(0, l.Hourly-d.Hours[hour]), Daily: max(0, l.Daily-d.Total)}
	switch {
	case cost > 0 && cost > l.Daily-d.Total:
		s.Refused = limit.Daily
	case cost > 0 && cost > l.Hourly-d.Hours[hour]:
		s.Refused = limit.Hourly
	}
	return s
}

// add charges, or with a negative cost gives back, never more than was charged.
func (d *day) add(cost, hour int64) {
	d.Total = max(0, d.Total+cost)
	d.Hours[hour] = max(0, d.Hours[hour]+cost)
}

// covers says whether the table says enough already for a charge of that cost.
func (d *day) covers(cost, hour int64) bool {
	return d.Total+cost <= d.written.Total && d.Hours[hour]+cost <= d.written.Hours[hour]
}

// excess is by how much the table is ahead of what was charged.
func (d *day) excess(hour int64) int64 {
	return max(d.written.Total-d.Total, d.written.Hours[hour]-d.Hours[hour])
}

// ahead is what was charged with the hour of the last charge a block ahead, or by cost if that is more.
func (d *day) ahead(cost int64) counts {
	to := d.counts
	to.Total += max(d.block, cost)
	to.Hours[d.hour] += max(d.block, cost)
	return to
}

// begin begins to write the counts into the table. Until it is done the table may say either.
func (d *day) begin(to counts) (done chan struct{}) {
	d.written.Total = min(d.written.Total, to.Total)
	for h := range to.Hours {
		d.written.Hours[h] = min(d.written.Hours[h], to.Hours[h])
	}
	d.writing = make(chan struct{})
	return d.writing
}
