package webhooks

import (
	"time"

	"eshop/shared/api"
)

// listedFor is how long a revoked key is shown, and retireFor how long a key signs on after the next took its place.
const (
	listedFor = 30 * 24 * time.Hour
	retireFor = 24 * time.Hour
)

// tries bounds how often a write is begun anew because another one came between.
const tries = 3

// StateAt is the key's state at a time: a retiring key is revoked once its expiry has come.
func (k Key) StateAt(now time.Time) KeyState {
	if k.State == Retiring && k.Expires <= api.At(now) {
		return Revoked
	}
	return k.State
}

// ended is when the key was, or will be, revoked; 0: not known yet.
func (k Key) ended() api.Time {
	if k.State == Revoked {
		return k.Revoked
	}
	return k.Expires
}
