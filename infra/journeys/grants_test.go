package journeys

import (
	"context"
	"fmt"
	"io"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"eshop/shared/host"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/storetest"
)

// grants let each function do what the list says that it needs, as its role does on AWS, and note which of them were
// used.
type grants struct {
	mu   sync.Mutex
	used map[string]bool // "function action resource"
}

// grant is what one function may do to one resource, and to which partitions of it.
type grant struct {
	all      *grants
	function string
	resource host.Resource
	needs    []host.Need
}

// does is nil, and notes the use, when the function may do it to these partitions.
func (g grant) does(a host.Action, partitions ...string) error {
	may := func(a host.Action, partition string) bool {
		return slices.ContainsFunc(g.needs, func(n host.Need) bool {
			return n.Resource == g.resource && slices.Contains(n.Does, a) && (n.Keys == nil || like(n.Keys, partition))
		})
	}
	for _, p := range partitions {
		if a == host.Write && g.resource == host.Main && like(host.Guarded, p) {
			a = host.Admit
		}
		if !may(a, p) {
			return fmt.Errorf("access denied: %s may not %s %s of %s", g.function, a, p, g.resource)
		}
	}
	if len(partitions) == 0 && !may(a, "") {
		return fmt.Errorf("access denied: %s may not %s %s", g.function, a, g.resource)
	}
	g.all.mu.Lock()
	defer g.all.mu.Unlock()
	g.all.used[g.name(a)] = true
	return nil
}

// like says whether one of the keys with stars and question marks stands for this one.
func like(keys []string, one string) bool {
	flat := strings.NewReplacer("/", "|") // a star stands for a slash, too
	return slices.ContainsFunc(keys, func(key string) bool {
		is, err := path.Match(flat.Replace(key), flat.Replace(one))
		return err == nil && is
	})
}

// did says whether it was used for an action.
func (g grant) did(a host.Action) bool {
	g.all.mu.Lock()
	defer g.all.mu.Unlock()
	return g.all.used[g.name(a)]
}

// notes says whether the operation is one that the function may do by a note alone.
func (g grant) notes(op store.Op) bool {
	return op.Kind == store.Updating && slices.ContainsFunc(g.needs, func(n host.Need) bool {
		only := store.Set{Num: map[string]int64{}}
		for _, number := range n.Numbers {
			if v, has := op.Set.Num[number]; has {
				only.Num[number] = v
			}
		}
		return n.Resource == g.resource && slices.Contains(n.Does, host.Note) && reflect.DeepEqual(only, op.Set)
	})
}

func (g grant) name(a host.Action) string {
	return fmt.Sprintf("%s %s %s", g.function, a, g.resource)
}

// limit takes from the parts what their function was not granted: what it needs not at all is nil, as in Lambda.
func (g *grants) limit(p *host.Parts, f host.Function) {
	had, rang := p.Stores, p.Queues
	p.Stores, p.Queues = host.Stores{Room: had.Room, Watch: had.Watch}, host.Queues{}
	for _, n := range f.Needs {
		may := grant{g, f.Name, n.Resource, f.Needs}
		switch n.Resource {
		case host.Main:
			p.Main = grantedTable(had.Main, may)
		case host.Pipeline:
			p.Pipeline = grantedTable(had.Pipeline, may)
		case host.Counters:
			p.Counters = grantedCounters{had.Counters, may}
		case host.Secrets:
			p.Secrets = grantedKeys{had.Secrets, may}
		case host.Signing:
			p.Signing = grantedKeys{had.Signing, may}
		case host.Files:
			p.Files = grantedFiles{had.Files, may}
		case host.Fresh:
			p.Fresh = grantedQueue{rang.Fresh, may}
		case host.Retry:
			p.Retry = grantedQueue{rang.Retry, may}
		}
	}
}

// elsewhere are the functions whose grants no journey uses, but their own tests do.
var elsewhere = []string{"admin", "canary", "sweeper"}

// seldom are the grants of the others that no journey uses, and what they are for.
var seldom = map[string]string{
	"changes note main":        "that a token was used, which the function that it is used at first has noted",
	"operator send fresh":      "a system webhook of a package is sent again",
	"developer write pipeline": "a system webhook of a package is sent again",
	"developer send fresh":     "a system webhook of a package is sent again",
	"deliveries send fresh":    "a delivery that was cancelled before its first attempt is asked for again",
	"batcher write main":       "a drain is begun of what was parked too late",
	"batcher read pipeline":    "how far the change feed is, when a batch has nothing newer",
	"operator read pipeline":   "the deliveries of a package",
	"operator send retry":      "a delivery of a package is asked for again",
	"operator seal signing":    "a package's system key",
	"developer send retry":     "a systemUrl that failed is enabled again",
}

// unused are the grants that nothing has used, though they are needed for a request or a webhook as it mostly goes.
// What the frame needs is needed as soon as one function uses it.
func (g *grants) unused(list []host.Function) (all []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	framed := map[string]bool{}
	for _, f := range list {
		for _, n := range host.Frame {
			for _, a := range n.Does {
				may := grant{g, f.Name, n.Resource, f.Needs}
				framed[string(a)+string(n.Resource)] = framed[string(a)+string(n.Resource)] || g.used[may.name(a)]
			}
		}
	}
	for _, f := range list {
		for _, n := range f.Needs {
			for _, a := range n.Does {
				name := grant{g, f.Name, n.Resource, f.Needs}.name(a)
				if !g.used[name] && seldom[name] == "" && !slices.Contains(elsewhere, f.Name) &&
					!(f.HTTP != nil && framed[string(a)+string(n.Resource)]) {
					all = append(all, name)
				}
			}
		}
	}
	return all
}

func grantedTable(t store.Table, may grant) store.Table {
	return storetest.Faulty{Table: t, Around: func(c storetest.Call, do func() error) error {
		if c.Ops == nil {
			if err := may.does(host.Read); err != nil {
				return err
			}
		}
		for _, op := range c.Ops {
			does := host.Write
			if may.notes(op) {
				does = host.Note
			}
			if err := may.does(does, op.Key.PK); err != nil {
				return err
			}
		}
		return do()
	}}
}

type grantedCounters struct {
	limit.Counters
	may grant
}

func (c grantedCounters) Charge(ctx context.Context, access string, l limit.Limits, cost int64,
	now time.Time,
) (limit.Standing, error) {
	does := host.Write
	if cost == 0 {
		does = host.Read
	}
	if err := c.may.does(does); err != nil {
		return limit.Standing{}, fmt.Errorf("%w: %w", limit.ErrForbidden, err)
	}
	return c.Counters.Charge(ctx, access, l, cost, now)
}

func (c grantedCounters) Refund(ctx context.Context, access string, l limit.Limits, cost int64,
	charged time.Time,
) (limit.Standing, error) {
	if err := c.may.does(host.Write); err != nil {
		return limit.Standing{}, fmt.Errorf("%w: %w", limit.ErrForbidden, err)
	}
	return c.Counters.Refund(ctx, access, l, cost, charged)
}

func (c grantedCounters) Used(ctx context.Context, days ...limit.Day) ([]limit.Used, error) {
	if err := c.may.does(host.Read); err != nil {
		return nil, err
	}
	return c.Counters.Used(ctx, days...)
}

type grantedKeys struct {
	secret.Keys
	may grant
}

func (k grantedKeys) Seal(ctx context.Context, name string, plain []byte) ([]byte, error) {
	if err := k.may.does(host.Seal); err != nil {
		return nil, err
	}
	return k.Keys.Seal(ctx, name, plain)
}

func (k grantedKeys) Open(ctx context.Context, name string, sealed []byte) ([]byte, error) {
	if err := k.may.does(host.Open); err != nil {
		return nil, err
	}
	return k.Keys.Open(ctx, name, sealed)
}

// grantedQueue sends as it may; who receives does that by its trigger.
type grantedQueue struct {
	queue.Sender
	may grant
}

func (q grantedQueue) Send(ctx context.Context, messages ...queue.Message) error {
	if err := q.may.does(host.Send); err != nil {
		return err
	}
	return q.Sender.Send(ctx, messages...)
}

type grantedFiles struct {
	blob.Bucket
	may grant
}

func (b grantedFiles) Put(ctx context.Context, key string, body []byte) error {
	if err := b.may.does(host.Write, key); err != nil {
		return err
	}
	return b.Bucket.Put(ctx, key, body)
}

func (b grantedFiles) Write(ctx context.Context, key string, from io.Reader) error {
	if err := b.may.does(host.Write, key); err != nil {
		return err
	}
	return b.Bucket.Write(ctx, key, from)
}

func (b grantedFiles) Delete(ctx context.Context, key string) error {
	if err := b.may.does(host.Write, key); err != nil {
		return err
	}
	return b.Bucket.Delete(ctx, key)
}

// UploadURL signs with the function's own rights: who PUTs there does what it may.
func (b grantedFiles) UploadURL(ctx context.Context, key string, life time.Duration) (string, error) {
	if err := b.may.does(host.Write, key); err != nil {
		return "", err
	}
	return b.Bucket.UploadURL(ctx, key, life)
}

// DownloadURL signs with the function's own rights: who GETs there does what it may.
func (b grantedFiles) DownloadURL(
	ctx context.Context, key string, as blob.Download, life time.Duration,
) (string, error) {
	if err := b.may.does(host.Read, key); err != nil {
		return "", err
	}
	return b.Bucket.DownloadURL(ctx, key, as, life)
}

func (b grantedFiles) Open(ctx context.Context, key, tag string, from int64) (io.ReadCloser, error) {
	if err := b.may.does(host.Read, key); err != nil {
		return nil, err
	}
	return b.Bucket.Open(ctx, key, tag, from)
}

func (b grantedFiles) Stat(ctx context.Context, key string) (blob.Info, error) {
	if err := b.may.does(host.Read, key); err != nil {
		return blob.Info{}, err
	}
	return b.Bucket.Stat(ctx, key)
}

func (b grantedFiles) First(ctx context.Context, key string) (blob.Info, error) {
	if err := b.may.does(host.Read, key); err != nil {
		return blob.Info{}, err
	}
	return b.Bucket.First(ctx, key)
}
