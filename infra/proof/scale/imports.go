package main

import (
	"time"

	"eshop/events"
	"eshop/shared/bill"
)

// storm lets so many shops import so many new products each. Their files wait for an importer.
func (w *world) storm(shops, rows int) {
	w.files = shops
	for range w.importer.ReservedConcurrency {
		w.next(rows)
	}
}

// next imports the next file.
func (w *world) next(rows int) {
	if w.files == 0 {
		return
	}
	shop := int32(w.files)
	w.files--
	w.importing++
	left, untold := rows, 0
	var write func()
	write = func() { // one transaction at a time
		took := ownTime + time.Duration(rowCalls*rowsTogether*float64(waveTime))
		took += w.main.take(w.now, rowUnits*rowsTogether)
		w.after(took, func() {
			left, untold = left-rowsTogether, untold+rowsTogether
			if untold >= events.MaxIDs || left <= 0 {
				w.make(shop)
				w.toIndex.push(told{w.now, untold})
				w.after(streamLag+w.upTo(w.indexer.Feed.Window+pollEvery), w.index)
				untold = 0
			}
			if left <= 0 {
				w.importing--
				w.next(rows)
				return
			}
			write()
		})
	}
	write()
}

// told is a change of an import.
type told struct {
	at      time.Duration
	records int
}

// index lets the indexer go through the records of a change, some of them at a time, if it has a call left.
func (w *world) index() {
	if w.toIndex.len() == 0 {
		return
	}
	if w.indexing >= w.indexer.ReservedConcurrency {
		return
	}
	w.indexing++
	next := w.toIndex.pop()
	left := next.records
	var some func()
	some = func() {
		if left <= 0 {
			w.indexing--
			w.seen.found = max(w.seen.found, w.now-next.at)
			w.index()
			return
		}
		n := min(left, indexTogether)
		left -= n
		units := float64(n) * bill.Of("POST of a product").Indexed.Writes
		w.after(indexWaves*waveTime+w.pipeline.take(w.now, units), some)
	}
	w.after(ownTime, some)
}
