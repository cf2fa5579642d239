//go:build !linux

package bolt

const letGoAfter = 2 << 20

// letGo is Linux's: elsewhere what is mapped stays until the system wants it.
func (d *DB) letGo() {}
