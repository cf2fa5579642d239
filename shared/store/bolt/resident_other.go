//go:build !linux

package bolt

const releaseAfter = 2 << 20

// releasePages is for Linux alone: elsewhere pages stay mapped until the system wants them.
func (d *DB) releasePages() {}
