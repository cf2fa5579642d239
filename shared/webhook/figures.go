package webhook

// The figures of deliveries: what becomes of calls, the attempts that failed, and how long after its change a call came
// that was neither parked nor asked for again.
const (
	CallsDelivered = "CallsDelivered"
	CallsExhausted = "CallsExhausted"
	CallsParked    = "CallsParked"
	CallsCancelled = "CallsCancelled"
	AttemptsFailed = "AttemptsFailed"
	CallAge        = "CallAge"
)

var figureOf = map[DeliveryState]string{Exhausted: CallsExhausted, Parked: CallsParked, Cancelled: CallsCancelled}

// FigureOf is the figure that counts deliveries which have come into a state without an answer of 2xx; "" of one that
// waits or was delivered.
func FigureOf(s DeliveryState) string { return figureOf[s] }
