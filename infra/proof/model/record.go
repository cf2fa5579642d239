package model

import "github.com/anishathalye/porcupine"

// Do is what is asked of a record.
type Do string

// What can be asked of one.
const (
	Create Do = "create"
	Read   Do = "read"
	Change Do = "change"
	Delete Do = "delete"
)

// RecordAsk is a request about one record, of which one value is looked at.
type RecordAsk struct {
	Do      Do
	Value   string // what it becomes
	IfMatch string // "": none
}

// RecordAnswer is its answer.
type RecordAnswer struct {
	Status  int
	Value   string
	Version string // "": not told
}

// record is the state of one. Deletion is for good (contract, "Resources").
type record struct {
	there   bool
	gone    bool
	value   string
	version string // "": not known, since nobody was told
	floor   string // the last version that somebody was told: those after it are later
}

// recordModel: a record is read as it was last written, a condition on its version holds when it is current, a write
// that changes nothing moves no version, and versions rise strictly, by their moments (contract, "Optimistic locking"
// and "Order in time").
var recordModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{record{}} },
	Step: func(state, in, out any) []any {
		return anys(state.(record).step(in.(RecordAsk), out.(RecordAnswer)))
	},
}

// step is what the record can be after an operation with this answer: none, if no correct platform gives that answer.
// An unknown answer leaves two possibilities: the operation was done, or not.
func (r record) step(ask RecordAsk, is RecordAnswer) []record {
	if is.Status == Unknown {
		done := r.would(ask)
		if done == r {
			return []record{r}
		}
		return []record{r, done}
	}
	if is.Status == 429 || is.Status == 422 || ask.Do == Create && is.Status == 409 {
		return []record{r} // refused before it was looked at
	}
	switch {
	case ask.Do == Create:
		return r.created(ask, is)
	case !r.there:
		return only(is.Status == 404, r)
	case is.Status == 412:
		return only(ask.IfMatch != "" && (r.version == "" || ask.IfMatch != r.version), r)
	case ask.Do == Read:
		return r.read(is)
	case !r.matches(ask.IfMatch):
		return nil
	case ask.Do == Delete:
		return only(is.Status == 204, r.would(ask))
	}
	return r.matched(ask.IfMatch).changed(ask, is)
}

// would is the record when what is asked for is done, if that can be; its version is not told.
func (r record) would(ask RecordAsk) record {
	switch {
	case ask.Do == Create && !r.there && !r.gone:
		return record{there: true, value: ask.Value}
	case !r.there || !r.matches(ask.IfMatch):
		return r
	}
	r = r.matched(ask.IfMatch)
	switch {
	case ask.Do == Delete:
		return record{gone: true, floor: r.floor}
	case ask.Do == Change && ask.Value != r.value:
		return record{there: true, value: ask.Value, floor: r.floor}
	}
	return r
}

// matches says whether an If-Match can be the record's version. After an unknown write the version itself is unknown.
func (r record) matches(version string) bool {
	return version == "" || r.version == version || r.version == "" && r.later(version)
}

// matched is the record once an If-Match was its version: then that is known.
func (r record) matched(version string) record {
	if version != "" {
		r.version, r.floor = version, version
	}
	return r
}

// later says whether a version can follow the last that somebody was told: its moment is later.
func (r record) later(version string) bool { return r.floor == "" || moment(version) > moment(r.floor) }

// moment is the time of a version, which is a ULID: its first ten characters.
func moment(version string) string { return version[:min(10, len(version))] }

// created is the record after a POST: it must not have been there, and an id is never used again.
func (r record) created(ask RecordAsk, is RecordAnswer) []record {
	if r.there || r.gone || is.Status != 201 {
		return nil
	}
	return []record{{there: true, value: ask.Value, version: is.Version, floor: is.Version}}
}

// read is the record after a GET, which must show the value of the last write.
func (r record) read(is RecordAnswer) []record {
	if is.Status != 200 || is.Value != r.value {
		return nil
	}
	return r.told(is.Version)
}

// changed is the record after a PATCH. A write of the same value must keep the version.
func (r record) changed(ask RecordAsk, is RecordAnswer) []record {
	if is.Status != 200 && is.Status != 204 {
		return nil
	}
	if ask.Value == r.value {
		return r.told(is.Version)
	}
	return record{there: true, value: ask.Value, floor: r.floor}.told(is.Version)
}

// told is the record once an answer tells its version. A version that is known stays the same. One that nobody knew yet
// is later than the last that was told.
func (r record) told(version string) []record {
	switch {
	case version == "" || version == r.version:
		return []record{r}
	case r.version != "" || !r.later(version):
		return nil
	}
	r.version, r.floor = version, version
	return []record{r}
}

// only is the state if the answer is possible in it.
func only[S any](possible bool, s S) []S {
	if !possible {
		return nil
	}
	return []S{s}
}

// anys are states as porcupine wants them.
func anys[S any](all []S) []any {
	out := make([]any, len(all))
	for i, s := range all {
		out[i] = s
	}
	return out
}
