package store

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAMeterCountsCallsAndUnits(t *testing.T) {
	ctx, m := WithMeter(t.Context())
	first, second := MeterOf(ctx).Begin(), MeterOf(ctx).Begin() // side by side
	second(0.5, 2)
	first(1, 0)
	MeterOf(ctx).Begin()(0, 1)
	require.Equal(t, 3, m.Calls())
	read, write := m.Units()
	require.Equal(t, 1.5, read)
	require.Equal(t, 3.0, write)
}

func TestWithoutAMeterNothingIsCounted(t *testing.T) {
	require.Nil(t, MeterOf(context.Background()))
	MeterOf(context.Background()).Begin()(1, 1)
}
