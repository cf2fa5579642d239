package docs_test

import (
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/webhook"
)

func TestTheGuideShowsTheProgramsThatAreTried(t *testing.T) {
	for folder, on := range map[string]struct {
		page  string
		tried []language
	}{"receivers": {"/docs/webhooks", languages}, "frameworks": {"/docs/webhooks", frameworks},
		"installs": {"/docs/webhooks", installs}, "syncs": {"/docs/sync", slices.Concat(syncs, bothWays)},
		"imports": {"/docs/import-a-file", importers}} {
		page := html.UnescapeString(get(t, "GET", on.page).Body.String())
		var tried, files []string
		for _, language := range on.tried {
			source, err := os.ReadFile(language.file)
			require.NoError(t, err)
			require.Contains(t, page, string(source), language.file)
			tried = append(tried, language.file)
		}
		require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if !d.IsDir() {
				files = append(files, path)
			}
			return err
		}))
		require.ElementsMatch(t, tried, files)
	}
}

// Who looks for it finds it from wherever the change feed is spoken of.
func TestTheGuideOfCopiesIsLedTo(t *testing.T) {
	for _, page := range []string{"/docs/webhooks", "/docs/conventions", "/docs/errors", "/docs/change-feed"} {
		require.Contains(t, get(t, "GET", page).Body.String(), `<a href="/docs/sync">`, page)
	}
}

func TestTheGuideIsWhole(t *testing.T) {
	page := get(t, "GET", "/docs/webhooks").Body.String()
	guide, err := os.ReadFile("webhooks.md")
	require.NoError(t, err)
	for _, e := range events.Sent {
		require.Contains(t, page, "<code>"+string(e)+"</code>")
		row := regexp.MustCompile("(?m)^\\|.*`" + string(e) + "`.*$").FindString(string(guide))
		require.NotEmpty(t, row, "no row of %s", e)
		if about := e.Row().About; about.Kind != "" {
			require.Contains(t, row, "| `"+about.IDs+"`", e)
			require.Contains(t, row, "| `"+string(about.Needs)+"` |", e)
		}
	}
	for _, g := range events.Groups {
		require.Contains(t, page, "<code>"+string(g)+"</code>")
	}
	for _, heading := range []string{"register", "verify", "handle-each-webhook-once", "rotate-keys",
		"come-back-after-being-away", "system-webhooks-and-install-codes"} {
		require.Contains(t, page, `<h2 id="`+heading+`">`)
	}
	require.NotContains(t, page, `errors#receiver_inactive"`, "the reason of a delivery is no error")
	require.NotContains(t, page, "```")
	require.Equal(t, strings.Count(page, "<details"), strings.Count(page, "</details>"))
}

func TestTheGuideNamesOperationsThatThereAre(t *testing.T) {
	source, err := os.ReadFile("webhooks.md")
	require.NoError(t, err)
	copies, err := os.ReadFile("sync.md")
	require.NoError(t, err)
	source = append(source, copies...)
	var all []string
	for _, p := range listed().Patterns() {
		_, path, _ := strings.Cut(p, " ")
		all = append(all, path)
	}
	there := strings.Join(all, "\n") + "\n"
	for _, path := range regexp.MustCompile(`/api-engine/[a-z-]+(/\{id\}(/[a-z]+)?)?`).
		FindAllString(string(source), -1) {
		require.Contains(t, there, path+"\n")
	}
}

func TestTheGuideHasTheSchedule(t *testing.T) {
	source, err := os.ReadFile("webhooks.md")
	require.NoError(t, err)
	var waits []string
	for _, w := range webhook.Waits[1:] {
		switch {
		case w.Hours() >= 1:
			waits = append(waits, strings.TrimSuffix(w.String(), "h0m0s")+" h")
		case w.Minutes() >= 1:
			waits = append(waits, strings.TrimSuffix(w.String(), "m0s")+" min")
		default:
			waits = append(waits, strings.TrimSuffix(w.String(), "s")+" s")
		}
	}
	last := len(waits) - 1
	require.Contains(t, string(source), strings.Join(waits[:last], ", ")+" and "+waits[last])
}

func TestTheOperationsGuideIsWhole(t *testing.T) {
	page := get(t, "GET", "/docs/operations").Body.String()
	for _, heading := range []string{"deploy", "roll-back", "deploy-past-a-ringing-alarm", "rotate",
		"redrive-dead-letters", "restore", "raise-limits", "alarms"} {
		require.Contains(t, page, `<h2 id="`+heading+`">`)
	}
	require.Contains(t, page, "make deploy ENV=production FAST=1")
}
