package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// line is a row of the table: what was measured, and its figures.
type line struct {
	Name    string   `json:"name"`
	Workers int      `json:"workers,omitempty"` // of a load
	Figures []Figure `json:"figures"`
	Wrong   string   `json:"wrong,omitempty"` // what was not as it should be; "": nothing
}

// Figure is a number with its unit. It is right to so many decimals.
type Figure struct {
	Value    float64 `json:"value"`
	Unit     string  `json:"unit"`
	decimals int
}

// figure is a number of a unit to so many decimals.
func figure(value float64, unit string, decimals int) Figure {
	by := math.Pow10(decimals)
	return Figure{math.Round(value*by) / by, unit, decimals}
}

// head is the line above the table, which names the columns of loads.
func head() string {
	return fmt.Sprintf("%-44s %4s %10s %9s %9s %11s", "", "c", "per s", "p50 ms", "p99 ms", "CPU µs each")
}

// columns is how wide the figures of a load are, as head has them.
var columns = []int{10, 9, 9, 11}

// String is the line as the table has it: of a load its figures in columns, of anything else with their units.
func (l line) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-44s", l.Name)
	if l.Workers > 0 {
		fmt.Fprintf(&out, " %4d", l.Workers)
		for i, f := range l.Figures {
			fmt.Fprintf(&out, " %*.*f", columns[i], f.decimals, f.Value)
		}
	} else {
		width := 15
		for i, f := range l.Figures {
			if i > 0 {
				out.WriteString(",")
				width = 0
			}
			fmt.Fprintf(&out, " %*.*f %s", width, f.decimals, f.Value, f.Unit)
		}
	}
	if l.Wrong != "" {
		out.WriteString("   " + l.Wrong)
	}
	return out.String()
}

// tells gives a line to whoever reads the table.
func (b *bench) tells(name string, figures ...Figure) { b.tell(line{Name: name, Figures: figures}) }

// print tells what a load came to. The last column is processor time of the platform for each request.
func (b *bench) print(name string, c int, r result, cpu time.Duration) {
	each := float64(cpu.Microseconds()) / float64(max(1, r.Requests))
	l := line{Name: name, Workers: c, Figures: []Figure{figure(r.perSecond(), "per s", 0),
		figure(ms(r.P50), "ms p50", 2), figure(ms(r.P99), "ms p99", 2), figure(each, "CPU µs each", 0)}}
	if r.Failed > 0 {
		l.Wrong = fmt.Sprintf("%d FAILED, first: %s", r.Failed, r.First)
	}
	b.tell(l)
}

// memoryOf are the figures of the platform's memory.
func memoryOf(pss, anon float64) []Figure {
	return []Figure{figure(pss, "MiB PSS", 0), figure(anon, "MiB anonymous", 0)}
}

// per10k is processor time for each 10,000 of something.
func per10k(cpu time.Duration, n int64, of string) Figure {
	return figure(cpu.Seconds()/float64(max(1, n))*10_000, "s CPU per 10,000"+of, 2)
}
