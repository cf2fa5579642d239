package store

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAMeterCountsCallsSeriesAndUnits(t *testing.T) {
	ctx, m := WithMeter(t.Context())
	first, second := MeterOf(ctx).Begin(), MeterOf(ctx).Begin() // side by side
	first(1, 0)
	second(0.5, 2)
	MeterOf(ctx).Begin()(0, 1)
	require.Equal(t, 3, m.Calls())
	require.Equal(t, 2, m.Series())
	read, write := m.Units()
	require.Equal(t, 1.5, read)
	require.Equal(t, 3.0, write)
}

func TestWithoutAMeterNothingIsCounted(t *testing.T) {
	require.Nil(t, MeterOf(context.Background()))
	MeterOf(context.Background()).Begin()(1, 1)
}
