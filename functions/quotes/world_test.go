package quotes

import (
	"bytes"
	"context"
	"crypto/rand"
	"image"
	"image/png"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	client "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	serving "eshop/functions/images"
	"eshop/functions/products"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/awsconf"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/blob/blobtest"
	"eshop/shared/ports/blob/s3"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/sale"
)

// The shops of these tests, and the tokens of their accesses.
const (
	shop, otherShop = "01SHAP0000000000000000000A", "01SHAP0000000000000000000B"
	all             = shop
	second          = shop + " quotes:write" // another access to the shop
	nobody          = shop + " quotes:read"
	stranger        = otherShop
	nothing         = "01KAJ1V4S7TGXSAKB4YV5Q2D3E"                // an id of nothing
	scarce          = shop + " quotes:write shop:read"            // an access of 12 an hour
	scarcer         = shop + " quotes:write shop:read urls:write" // an access of 5 an hour
)

type object = hosttest.Object

// authenticate knows accesses by the text of their tokens, two with a low limit.
func authenticate(ctx context.Context, token string) (*change.Caller, error) {
	c, err := hosttest.AuthenticateByText(ctx, token)
	if most := map[string]int64{scarce: 12, scarcer: 5}[token]; most > 0 {
		c.Limits = limit.Limits{Hourly: most, Daily: 1000}
	}
	return c, err
}

// world is the APIs of quotes and of products.
type world struct {
	*hosttest.World
	product, cup, white string // a product, one with variants, and one of these
}

func newWorld(t testing.TB) *world { return worldOn(t, nil, host.Traits{}, inFolder) }

// worldOn is one whose records are in this table (nil: in a file), and its files where files says.
func worldOn(t testing.TB, main store.Table, traits host.Traits,
	files func(testing.TB, *host.Parts) blob.Bucket,
) *world {
	list := []host.Function{Function, products.Function, serving.Function}
	w := &world{World: hosttest.Open(t, hosttest.Setup{Functions: list, Authenticate: authenticate,
		Start: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Main: main, Platform: func(p *host.Parts) {
			p.Traits = traits
			p.Files = files(t, p)
		}})}
	good := object{"code": "DESK", "name": "Desk", "vatRate": "21.00", "stock": object{"quantity": 5},
		"priceLevels": []object{{"level": "default", "price": "10.00"}}}
	w.product = w.do("POST", "/api-engine/products", good).Is(201).ID()
	good["code"], good["variants"] = "CUP",
		[]object{{"code": "CUP-W", "name": "W"}, {"code": "CUP-B", "name": "B", "active": false}}
	cup := w.do("POST", "/api-engine/products", good).Is(201)
	w.cup, w.white = cup.ID(), cup.Get("variants.0.id")
	return w
}

func inFolder(_ testing.TB, p *host.Parts) blob.Bucket { return p.Files }

func inS3(t testing.TB, _ *host.Parts) blob.Bucket {
	s := httptest.NewServer(blobtest.NewestFirst(gofakes3.New(s3mem.New()).Server()))
	t.Cleanup(s.Close)
	cfg := awsconf.New("eu-central-1", aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"})
	cfg.BaseEndpoint = aws.String(s.URL)
	c := client.NewFromConfig(cfg, func(o *client.Options) { o.UsePathStyle = true })
	_, err := c.CreateBucket(context.Background(), &client.CreateBucketInput{Bucket: aws.String("files")})
	require.NoError(t, err)
	_, err = c.PutBucketVersioning(context.Background(), &client.PutBucketVersioningInput{Bucket: aws.String("files"),
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled}})
	require.NoError(t, err)
	return s3.New(cfg, "files")
}

// do is as the shop's access with all permissions, a second after the call before.
func (w *world) do(method, path string, body any, headers ...string) hosttest.Answer {
	w.T.Helper()
	return w.Next(all, method, path, body, headers...)
}

// body is a quote of the product; more are names and values in turn.
func (w *world) body(more ...any) object {
	o := object{"productId": w.product, "unitPrice": "1234.50"}
	for i := 0; i < len(more); i += 2 {
		o[more[i].(string)] = more[i+1]
	}
	return o
}

// quote registers one.
func (w *world) quote(more ...any) hosttest.Answer {
	w.T.Helper()
	return w.do("POST", path, w.body(more...)).Is(201)
}

// read is the quote of an answer.
func (w *world) read(a hosttest.Answer) hosttest.Answer {
	w.T.Helper()
	return w.do("GET", at(a), nil)
}

func at(a hosttest.Answer) string { return path + "/" + a.ID() }

// dot is a PNG of one point.
func dot(t testing.TB) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))))
	return b.Bytes()
}

// add sends an image; texts are the other fields, names and values in turn.
func (w *world) add(file []byte, texts ...string) hosttest.Answer {
	w.T.Helper()
	w.Clock.Pass(time.Second)
	return w.Serve(w.Form(all, imagesPath, file, texts...))
}

// get reads an image by its address, without a token.
func (w *world) get(url string, headers ...string) hosttest.Answer {
	w.T.Helper()
	r := w.Request("", "GET", strings.TrimPrefix(url, w.P.BaseURL), nil, headers...)
	r.Header.Del("Authorization")
	return w.Serve(r)
}

// unit is a unit of work on the shop that no request makes.
func (w *world) unit() *change.Unit {
	return &change.Unit{Shop: shop, Table: w.Main, Now: w.Clock.Now, Random: rand.Reader}
}

// stored is the quote of that id, as it is stored.
func (w *world) stored(id string) sale.Quote {
	w.T.Helper()
	q, err := sale.Quotes.Read(w.T.Context(), w.Main, shop, id)
	require.NoError(w.T, err)
	return q
}

// use uses the quote of an answer, as the basket does.
func (w *world) use(a hosttest.Answer) {
	w.T.Helper()
	w.Clock.Pass(time.Second)
	q := w.stored(a.ID())
	w.write(q.Use(shop, w.unit().NextVersion(q.Version), w.Clock.Now())...)
}

// sell notes an order with which the quote was sold.
func (w *world) sell(a hosttest.Answer) {
	w.T.Helper()
	w.Clock.Pass(time.Second)
	q := w.stored(a.ID())
	w.write(q.Ref().NoteOrder(shop, nothing, w.unit().NextVersion(q.Version)))
}

func (w *world) write(ops ...store.Op) {
	w.T.Helper()
	_, err := w.unit().Write(w.T.Context(), nil, w.unit().ChangeOf(nil), ops...)
	require.NoError(w.T, err)
}
