package journeys

import (
	"flag"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Journeys wait more than they work: eight at once, whatever the machine. What the hosts say of faults that tests make
// is not the tests' output.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	slog.SetDefault(slog.New(slog.DiscardHandler))
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(filepath.Dir(built))
	}
	os.Exit(code)
}

var (
	built    string
	building sync.Mutex
)

// binary is the real program, built once, as make builds it: what that builds later it finds done.
func binary(t testing.TB) string {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	if built != "" {
		return built
	}
	folder, err := os.MkdirTemp("", "journeys")
	require.NoError(t, err)
	path := filepath.Join(folder, "eshop")
	out, err := exec.Command("go", "build", "-trimpath", "-o", path, "../eshop").CombinedOutput()
	require.NoError(t, err, string(out))
	built = path
	return built
}
