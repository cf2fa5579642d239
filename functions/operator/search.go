package operator

import (
	"eshop/shared/api"
	"eshop/shared/shop"
)

// rebuildFrom is where the making of an index goes on.
type rebuildFrom struct {
	From string `json:"from,omitempty" maxLength:"100" doc:"next of the answer before; nothing: the beginning"`
}

// Rebuilt is how far an index is made anew.
type Rebuilt struct {
	Indexed int    `json:"indexed" doc:"How many records this call has indexed"`
	Next    string `json:"next,omitempty" doc:"Where the next call goes on; nothing: all is done"`
}

// stepsAtOnce is how many steps of a rebuild a call makes at most: of ordinary records they take a second or two of its
// ten. What a call has done counts, even if its next step fails or is cut off.
const stepsAtOnce = 10

// rebuild makes the next part of a shop's index anew. A call that is repeated does the same once more.
func (d door) rebuild(c *api.Call, in *rebuild) (*api.Plain[Rebuilt], error) {
	if _, err := shop.Read(c, d.Main, in.Shop); err != nil {
		return nil, err
	}
	done := Rebuilt{Next: in.Body.From}
	for range stepsAtOnce {
		step, err := d.Search().Rebuild(c, in.Shop, done.Next)
		if err != nil && done.Indexed > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		done.Indexed += step.Indexed
		if done.Next = step.Next; done.Next == "" {
			break
		}
	}
	return api.PlainOf(done), nil
}
