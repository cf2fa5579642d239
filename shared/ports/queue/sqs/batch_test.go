package sqs

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/ports/queue"
)

func TestMessagesAreCutIntoCallsOfTenAndOfWhatACallHolds(t *testing.T) {
	sizes := func(bodies ...int) []int {
		var messages []queue.Message
		for _, n := range bodies {
			messages = append(messages, queue.Message{Body: strings.Repeat("x", n)})
		}
		var all []int
		for _, b := range batches(messages) {
			all = append(all, len(b))
		}
		return all
	}
	most := queue.MaxMessage
	require.Nil(t, sizes())
	require.Equal(t, []int{10, 10, 1}, sizes(make([]int, 21)...))
	require.Equal(t, []int{1, 1}, sizes(most, most))
	require.Equal(t, []int{2, 1}, sizes(most/2, most/2, 1))
	require.Equal(t, []int{1, 2}, sizes(1, most, 0)) // an empty one weighs nothing; Send refuses it before
}

func TestADelayIsNeverShorterThanAsked(t *testing.T) {
	for d, want := range map[time.Duration]int32{0: 0, 1: 1, time.Second: 1, time.Second + 1: 2, queue.MaxDelay: 900} {
		require.Equal(t, want, seconds(d), d)
	}
}
