package releases

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/job/leaving"
	"eshop/shared/ports/store"
	"eshop/shared/shop/audit"
)

// TestNothingIsLeftOfAShopThatLeft leaves a row of each kind, lets all shops go while the store is away in the middle,
// and looks through all rows for what is theirs. So a new kind of row is deleted with its shop, ends
// by itself, or fails this.
func TestNothingIsLeftOfAShopThatLeft(t *testing.T) {
	t.Parallel()
	for _, on := range []string{inOneProcess, onAWS} {
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			w := open(t, on, t.TempDir(), begins, byte(len(on)))
			defer w.close()
			j := write(w)
			defer j.to.Close()
			owned := map[string]string{} // whose an id is
			for _, tn := range j.tenants {
				owned[tn.shop], owned[tn.access] = tn.domain, tn.domain
				j.do(202, "DELETE /operator/shops/{shopId}", "/operator/shops/"+tn.shop, j.operator, nil)
			}
			for _, r := range w.rows() {
				_, is := owned[strings.TrimSuffix(strings.TrimPrefix(r.item.PK, "S#"), "#HOOKS")]
				if is && strings.HasPrefix(r.item.SK, "R#") {
					owned[r.item.SK[strings.LastIndexByte(r.item.SK, '#')+1:]] = "a receiver"
				}
			}
			for range int(leaving.Grace / (24 * time.Hour)) {
				w.work()
				w.pass(24 * time.Hour)
			}
			deleted := func(tn tenant) bool {
				is := j.do(200, "GET /operator/shops/{shopId}/deletion", "/operator/shops/"+tn.shop+"/deletion",
					j.operator, nil)
				return is["state"] == "deleted" && is["deleted"].(float64) >= is["records"].(float64)
			}
			for n := range 30 { // in each of these the store is away in the middle
				w.pass(time.Minute)
				w.tables["main"].serves(n)
				w.tables["pipeline"].serves(30 - n)
				w.work()
			}
			w.tables["main"].serves(-1)
			w.tables["pipeline"].serves(-1)
			for range 20 {
				w.pass(time.Minute)
				w.work()
			}
			for _, tn := range j.tenants {
				require.True(t, deleted(tn))
				j.do(404, "GET /operator/shops/{id}", "/operator/shops/"+tn.shop, j.operator, nil)
			}
			for range 30 { // what the last of its webhooks had to say to others ends, and before that its pictures
				w.pass(24 * time.Hour)
				w.work()
			}
			var left []string
			for _, r := range w.rows() {
				stays := strings.HasPrefix(r.item.PK, "GO#") || strings.HasPrefix(r.item.PK, "ER#") ||
					r.item.PK == audit.OfOperator ||
					slices.ContainsFunc(outlasting, func(s string) bool { return strings.HasSuffix(r.item.PK, s) })
				if stays || r.item.Expired(w.now().Unix()) {
					continue
				}
				for id, whose := range owned {
					if tells(r.item, id) {
						left = append(left, fmt.Sprintf("%s %s %s of %s", r.Table, r.item.PK, r.item.SK, whose))
						break
					}
				}
			}
			require.NoError(t, filepath.WalkDir(filepath.Join(w.folder, "files"),
				func(path string, d fs.DirEntry, err error) error {
					// An address that was used once stays used: a file with nothing in it.
					if err == nil && !d.IsDir() && filepath.Base(filepath.Dir(path)) != "used" {
						left = append(left, path)
					}
					return err
				}))
			require.Empty(t, strings.Join(left, "\n"))
		})
	}
}

// outlasting end the keys of claims that outlast a shop: of a code and a slug of a product that was deleted before.
// Nothing lists such claims, and none tells of a person.
var outlasting = []string{"#=C#T-2", "#=S#bude-smazan"}

// tells says whether an id is in an item.
func tells(i store.Item, id string) bool {
	all := []string{i.PK, i.SK, i.Index1.PK, i.Index1.SK, i.Index2.PK, i.Index2.SK, string(i.Doc)}
	for _, text := range i.Text {
		all = append(all, text)
	}
	return slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, id) })
}
