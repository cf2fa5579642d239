package local

import (
	"cmp"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

// Commit is the commit that the program was built from; "" if it was built without one.
func Commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return ""
}

// buildLabels say in metrics what this program is. What the compiler did not write down is unknown.
func buildLabels() prometheus.Labels {
	version, compiler := "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version, compiler = info.Main.Version, info.GoVersion
	}
	return prometheus.Labels{"version": cmp.Or(version, "unknown"), "commit": cmp.Or(Commit(), "unknown"),
		"goversion": cmp.Or(compiler, "unknown")}
}
