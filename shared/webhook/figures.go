package webhook

// The figures of deliveries: what becomes of calls, the attempts that failed, and the age of a call when it is
// delivered. The age leaves out calls that were parked or sent again, which wait for other reasons.
const (
	CallsDelivered = "CallsDelivered"
	CallsExhausted = "CallsExhausted"
	CallsParked    = "CallsParked"
	CallsCancelled = "CallsCancelled"
	AttemptsFailed = "AttemptsFailed"
	CallAge        = "CallAge"
)

// figureOf is the figure that counts a delivery which comes into a state.
var figureOf = map[DeliveryState]string{Exhausted: CallsExhausted, Parked: CallsParked, Cancelled: CallsCancelled}

// FigureOf is the figure that counts deliveries which come into a state without an answer of 2xx. It is "" for Waiting
// and Delivered.
func FigureOf(s DeliveryState) string { return figureOf[s] }
