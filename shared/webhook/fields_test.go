package webhook_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/webhook"
)

func TestAReceiverCanNameEveryEvent(t *testing.T) {
	var all []string
	for _, e := range events.Names {
		all = append(all, string(e))
	}
	for _, of := range []any{webhook.Fields{}, webhook.ReceiverRecord{}} {
		f, has := reflect.TypeOf(of).FieldByName("Events")
		require.True(t, has)
		require.Equal(t, strings.Join(all, ","), f.Tag.Get("enum"))
	}
}
