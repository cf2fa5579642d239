package admin

import (
	"time"

	"eshop/shared/ports/limit"
	"eshop/shared/record/field"
)

// chart is what was charged in each of the last hours: bars in an SVG, and the same numbers as rows of a table.
type chart struct {
	Bars           []bar
	Width, Height  int64
	Middle         int64  // of the height
	LimitAt        int64  // the height of the line of the limit; -1: it is far above the bars
	Top, Half      string // what the scale says at its top and in its middle
	First, Last    string // the hours at both ends
	Summary        string // for who does not see the bars
	Total, Highest string
	Limit          string
}

// bar is one hour of a chart.
type bar struct {
	X, Y, Width, Height int64
	High                bool // above highUse percent of the limit
	At, Moment, Cost    string
}

// The measures of a chart in its own units.
const (
	barWidth    = 10
	barGap      = 2
	chartHeight = 120
)

// chart draws one bar for each hour, on a scale of its own, so that small use can still be seen. The scale goes up to a
// hundredth of the limit at least, so that few requests do not look like many.
func (v *visit) chart(hours []limit.Hour, hourly int64) *chart {
	// hours is never empty: the caller asks for a fixed number of hours.
	highest, total := int64(0), int64(0)
	for _, h := range hours {
		highest, total = max(highest, h.Cost), total+h.Cost
	}
	top := roundUp(max(highest, hourly/100))
	drawn := &chart{Width: int64(len(hours)) * (barWidth + barGap), Height: chartHeight, Middle: chartHeight / 2,
		LimitAt: -1, Total: v.lang.Number(total), Highest: v.lang.Number(highest), Limit: v.lang.Number(hourly),
		First: v.hour(hours[0].At), Last: v.hour(hours[len(hours)-1].At)}
	// A limit far above the bars would press them flat, so it has no line then.
	if hourly <= 2*top {
		top = roundUp(max(highest, hourly))
		drawn.LimitAt = chartHeight - hourly*chartHeight/top
	}
	drawn.Top, drawn.Half = v.lang.Number(top), v.lang.Number(top/2)
	for i, h := range hours {
		height := (h.Cost*chartHeight + top - 1) / top // what is there is seen
		drawn.Bars = append(drawn.Bars, bar{X: int64(i) * (barWidth + barGap), Y: chartHeight - height,
			Width: barWidth, Height: height,
			High: h.Cost*100 > hourly*highUse, At: h.At.Format(time.RFC3339), Moment: v.hour(h.At),
			Cost: v.lang.Number(h.Cost)})
	}
	drawn.Summary = v.sayWith("api.summary", "{total}", drawn.Total, "{highest}", drawn.Highest, "{limit}", drawn.Limit)
	return drawn
}

// roundUp is the lowest of 2, 4, 6, 8, 10, 20, 40 … 100, 200 … that is not below n. Each of them has a half.
func roundUp(n int64) int64 {
	step := int64(2)
	for n > 5*step {
		step *= 10
	}
	return max(1, (n+step-1)/step) * step
}

// hour is the beginning of an hour, in the time zone of the shops.
func (v *visit) hour(t time.Time) string { return v.moment(field.At(t)) }

// meters are how much of each limit is used in its present window.
func (v *visit) meters(today limit.Used, limits limit.Limits, now time.Time) []meter {
	hour := today.Hours[now.UTC().Hour()]
	one := func(w limit.Window, used, most int64) meter {
		// Use above the limit is shown as a full meter, because HTML allows no value above its max. The text says how
		// much it really is.
		return meter{Window: v.say("api." + string(w)), Used: min(used, most), Limit: most,
			HighAt: most * highUse / 100, High: used*100 > most*highUse,
			Text:   v.sayWith("api.of", "{used}", v.lang.Number(used), "{limit}", v.lang.Number(most)),
			Resets: v.hour(w.Reset(now))}
	}
	return []meter{one(limit.Hourly, hour, limits.Hourly), one(limit.Daily, today.Total, limits.Daily)}
}
