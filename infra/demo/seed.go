package demo

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/catalog"
	"eshop/shared/host"
	"eshop/shared/people/signin"
	"eshop/shared/people/staff"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/shop"
	"eshop/shared/shop/goods"
)

// demoKey is the item that says which shop and access are the demo's.
var demoKey = store.Key{PK: "DEMO", SK: "A"}

// demoItem is what that item holds. Each add-on has an access of its own, so that a reader who follows the guide with
// the shop's own token begins without keys and receivers.
type demoItem struct {
	Shop     string `json:"shopId"`
	Access   string `json:"accessId"`
	Receiver string `json:"receiverAccessId"`
	Gifts    string `json:"configuratorAccessId"`
	Admin    string `json:"adminId"`
}

// market is where the demo shop sells.
var market = goods.Market{Locale: "cs_CZ", Currency: "CZK"}

// seedStart is when the demo shop's history begins: fixed, as its ids are, so that each new data folder is the same.
var seedStart = time.Date(2026, 11, 1, 7, 0, 0, 0, time.UTC)

// Seed fills a new platform with the demo shop, through its own API, as the operator with this token. assemble makes
// the platform of a clock and a randomness. The clock begins at seedStart and moves 7 minutes with each call, and the
// randomness is fixed: so every new data folder has the same ids and times (contract, "The demo shop").
func Seed(ctx context.Context, operator string,
	assemble func(now func() time.Time, random io.Reader) (*host.Platform, error)) error {
	clock := seedStart
	p, err := assemble(func() time.Time { return clock },
		rand.NewChaCha8([32]byte([]byte("the same demo shop for everybody"))))
	if err != nil {
		return err
	}
	seeder := &seeder{platform: p, secrets: rand.NewChaCha8([32]byte([]byte("the pictures of the shop's goods"))),
		api: p.API, token: operator, tick: func() { clock = clock.Add(7 * time.Minute) }}
	item, err := seeder.shop()
	if err == nil {
		item.Admin, err = seeder.admin(ctx, p, item.Shop)
	}
	if err != nil {
		return err
	}
	doc, err := json.Marshal(item)
	if err != nil {
		return err
	}
	_, err = p.Main.Write(ctx, events.Nothing, store.Put(store.Item{Key: demoKey, Doc: doc}))
	return err
}

// seeder calls the API in this process.
type seeder struct {
	platform *host.Platform
	secrets  io.Reader // of images
	api      *api.API
	token    string
	tick     func()
}

// do makes one call and reads its answer; anything but a 2xx is an error that says so.
func (s *seeder) do(method, path string, body any, into any) error {
	s.tick()
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r := httptest.NewRequest(method, path, bytes.NewReader(b))
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	if w.Code >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(w.Body.Bytes(), into)
}

// made is what a call has made, as far as the seeder needs it.
type made struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

// shop makes the demo shop with its add-ons, and fills it. It revokes the tokens that it used: each data folder makes
// its own at its first start.
func (s *seeder) shop() (demoItem, error) {
	var shop made
	operator := s.token
	err := s.do("POST", "/operator/shops", map[string]any{"name": "Čajovna U Zvonu", "domain": "cajovna.example",
		"locale": market.Locale, "currency": market.Currency,
		"owner": map[string]string{"email": "majitelka@cajovna.example"}}, &shop)
	if err != nil {
		return demoItem{}, err
	}
	var accesses [3]made
	for i, p := range demoPackages {
		if accesses[i], err = s.install(shop.ID, p); err != nil {
			return demoItem{}, err
		}
	}
	s.token = accesses[0].Token
	err = s.fill(shop.ID)
	s.token = operator
	for _, a := range accesses {
		err = errors.Join(err, s.revoke("/operator/shops/"+shop.ID+"/accesses/"+a.ID+"/tokens"))
	}
	return demoItem{Shop: shop.ID, Access: accesses[0].ID, Receiver: accesses[1].ID, Gifts: accesses[2].ID}, err
}

// admin makes the demo shop's admin, and sets this data folder's password by the link in the operator's answer.
func (s *seeder) admin(ctx context.Context, p *host.Platform, shop string) (id string, err error) {
	var person struct{ ID, SetPasswordURL string }
	err = s.do("POST", "/operator/shops/"+shop+"/admins",
		map[string]string{"email": "zvonarova@cajovna.example", "name": "Božena Zvonařová"}, &person)
	if err != nil {
		return "", err
	}
	link, err := url.Parse(person.SetPasswordURL)
	if err != nil {
		return "", err
	}
	u := p.Unit()
	u.Shop = shop
	accounts := staff.NewAccounts(signin.Tries{Key: p.Key})
	return accounts.SetPassword(ctx, u, signin.Visitor{}, link.Query().Get("token"), adminPassword(p))
}

// adminPassword is the password of the demo shop's admin: another one in each data folder, and always the same in one.
func adminPassword(p *host.Platform) string {
	return base64.RawURLEncoding.EncodeToString(secret.MAC(p.Key, "the password of the demo shop's admin")[:15])
}

// install makes a package and installs it on the shop.
func (s *seeder) install(shop string, p addonPackage) (access made, err error) {
	var pkg made
	err = s.do("POST", "/operator/packages",
		map[string]any{"code": p.code, "name": p.name, "permissions": p.permissions,
			"instructions": p.instructions}, &pkg)
	if err != nil {
		return made{}, err
	}
	err = s.do("POST", "/operator/shops/"+shop+"/accesses", map[string]any{"packageId": pkg.ID}, &access)
	return access, err
}

// revoke deletes all tokens at the path.
func (s *seeder) revoke(tokens string) error {
	var list struct{ Items []made }
	if err := s.do("GET", tokens, nil, &list); err != nil {
		return err
	}
	for _, t := range list.Items {
		if err := s.do("DELETE", tokens+"/"+t.ID, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// fill makes the shop's face and records: categories, products, URLs, customers, coupons, and then the orders that
// use them.
func (s *seeder) fill(shop string) error {
	if err := s.face(shop); err != nil {
		return err
	}
	categories := map[string]string{}
	for _, name := range goods.Categories {
		var c made
		if err := s.do("POST", "/api-engine/categories", map[string]string{"name": name}, &c); err != nil {
			return err
		}
		categories[name] = c.ID
	}
	products := map[string]string{}
	sells := make([]sold, len(goods.Products))
	for i, product := range goods.Products {
		image, err := s.image(shop, product)
		if err != nil {
			return err
		}
		body := market.Body(product, categories)
		body["images"] = []catalog.Image{image}
		if err := s.do("POST", "/api-engine/products", body, &sells[i]); err != nil {
			return err
		}
		products[product.Code] = sells[i].ID
	}
	for _, u := range demoURLs {
		if err := s.do("POST", "/api-engine/custom-urls", u.body(products, categories), nil); err != nil {
			return err
		}
	}
	customers := make([]made, 50)
	for i := range customers {
		if err := s.do("POST", "/api-engine/customers", demoCustomer(i), &customers[i]); err != nil {
			return err
		}
	}
	for _, c := range demoCoupons {
		if err := s.do("POST", "/api-engine/discount-coupons", c, nil); err != nil {
			return err
		}
	}
	return s.orders(sells, customers)
}

// face gives the shop its look and its texts, as its people do in the admin.
func (s *seeder) face(shopID string) error {
	u := s.platform.Unit()
	u.Shop, u.Random = shopID, s.secrets
	hero, err := s.platform.Uploads(nil).Keep(context.Background(), u, goods.Picture(heroOf))
	if err != nil {
		return err
	}
	return shop.ChangeFace(context.Background(), u, market.Locale, func(shop.Face) (shop.Face, error) {
		face := demoFace
		face.Hero = shop.Picture{URL: hero.URL, Width: hero.Width, Height: hero.Height}
		return face, nil
	})
}

// image keeps the picture of a product, which is clean already. Its time and randomness are none of the calls': so the
// ids of everything else are the same with pictures as without.
func (s *seeder) image(shop string, p goods.Product) (catalog.Image, error) {
	u := s.platform.Unit()
	u.Shop, u.Random = shop, s.secrets
	i, err := s.platform.Uploads(nil).Keep(context.Background(), u, goods.Picture(p.Code))
	return catalog.Image{URL: i.URL, Alt: field.Line(market.Words(p).Alt)}, err
}

// sold is a product with its variants, as an order names them.
type sold struct {
	made
	Variants []made `json:"variants"`
}

// orders makes the demo's orders and moves each through its states.
func (s *seeder) orders(products []sold, customers []made) error {
	var states struct {
		Items []struct {
			made
			Key string `json:"key"`
		}
	}
	if err := s.do("GET", "/api-engine/order-states", nil, &states); err != nil {
		return err
	}
	ids := map[string]string{}
	for _, state := range states.Items {
		ids[state.Key] = state.ID
	}
	for i := range demoOrders {
		var order made
		if err := s.do("POST", "/api-engine/orders", demoOrder(i, products, customers), &order); err != nil {
			return err
		}
		for _, key := range demoStates(i) {
			if err := s.move("/api-engine/orders/"+order.ID, i, key, ids[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

// move moves an order to a state; what is sent has a tracking number.
func (s *seeder) move(order string, i int, key, state string) error {
	if key == "shipped" {
		number := fmt.Sprintf("DR%010dC", 1_204_300+97*i)
		if err := s.do("PATCH", order+"/order-delivery-payment", map[string]string{"trackingNumber": number,
			"trackingLink": "https://sledovani.example/" + number}, nil); err != nil {
			return err
		}
	}
	return s.do("PATCH", order, map[string]string{"stateId": state}, nil)
}
