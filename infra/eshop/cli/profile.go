package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	secretfile "eshop/shared/ports/secret/file"
)

// profile is a platform that login was told of.
type profile struct {
	URL    string            `json:"url"`
	Tokens map[string]string `json:"tokens"` // by the environment's name for their kind
}

// usual is the profile that commands take where none is named.
const usual = "default"

// profiles reads the profiles of who works here, by their names.
func (sh Shell) profiles() (map[string]profile, error) {
	all := map[string]profile{}
	if sh.Config == "" {
		return all, nil
	}
	text, err := os.ReadFile(filepath.Join(sh.Config, profilesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	} else if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("the profiles cannot be read: %w", plainly(err))
	}
	return all, nil
}

// profilesFile is where they are, in the folder of the user's settings.
const profilesFile = "profiles.json"

// keep writes a file of the user's own, which nobody else may read.
func (sh Shell) keep(name string, text []byte) error {
	if sh.Config == "" {
		return errors.New("there is no folder for settings of yours: set HOME, or XDG_CONFIG_HOME")
	}
	if err := os.MkdirAll(sh.Config, 0o700); err != nil {
		return plainly(err)
	}
	return plainly(secretfile.Write(filepath.Join(sh.Config, name), text))
}

// keepProfiles writes the profiles.
func (sh Shell) keepProfiles(all map[string]profile) error {
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return sh.keep(profilesFile, append(text, '\n'))
}

// doors are where a platform tells whose a token is, by asking.
var doors = []struct{ variable, path string }{
	{ofAccess, "/api-engine/status"}, {ofDeveloper, "/developer/packages"}, {ofOperator, "/operator/tokens"}}

// login keeps a platform's address and a token of it in a profile. The platform says whose the token is.
func login(ctx context.Context, _ *client, opts options) error {
	all, err := opts.profiles()
	if err != nil {
		return err
	}
	kept := all[opts.profileName()]
	if address := strings.TrimSuffix(cmp.Or(opts.url, opts.Getenv("ESHOP_URL"), kept.URL), "/"); address != kept.URL {
		kept = profile{URL: address} // tokens are of one platform
	}
	if !isAddress(kept.URL) {
		return errors.New("login takes --url, the address of the platform: --url https://api.example.com")
	}
	token, err := opts.typed()
	if err != nil {
		return err
	}
	c := newClient(kept.URL, token)
	for _, door := range doors {
		_, err := ask[object](ctx, c, http.MethodGet, door.path, nil)
		if refused, is := errors.AsType[*refusal](err); is &&
			(refused.status == http.StatusUnauthorized || refused.status == http.StatusNotFound) {
			continue
		} else if err != nil {
			return err
		}
		if kept.Tokens == nil {
			kept.Tokens = map[string]string{}
		}
		kept.Tokens[door.variable] = token
		all[opts.profileName()] = kept
		if err := opts.keepProfiles(all); err != nil {
			return err
		}
		opts.tell(object{"profile": opts.profileName(), "url": kept.URL, "of": whose[door.variable]},
			"Commands take the token of %s at %s from the profile %s.", whose[door.variable], kept.URL,
			opts.profileName())
		return nil
	}
	return fmt.Errorf("nobody has this token at %s", kept.URL)
}

// typed is the token of the flag, or what is typed or piped in: nothing of it is shown.
func (o options) typed() (string, error) {
	if o.token != "" {
		return o.token, nil
	}
	token := ""
	if f, is := o.In.(*os.File); is && term.IsTerminal(int(f.Fd())) {
		fmt.Fprint(o.Errs, "Token (nothing is shown): ")
		text, _ := term.ReadPassword(int(f.Fd()))
		token = string(text)
		fmt.Fprintln(o.Errs)
	} else if o.In != nil {
		token, _ = bufio.NewReader(o.In).ReadString('\n') // the last line may have no end
	}
	if token = strings.TrimSpace(token); token == "" {
		return "", errors.New("login takes a token: type it, or pipe it in")
	}
	return token, nil
}

// logout forgets a profile.
func logout(_ context.Context, _ *client, o options) error {
	all, err := o.profiles()
	if err != nil {
		return err
	}
	name := o.profileName()
	if _, has := all[name]; !has {
		return fmt.Errorf("there is no profile %s", name)
	}
	delete(all, name)
	if err := o.keepProfiles(all); err != nil {
		return err
	}
	o.tell(object{"forgotten": name}, "The profile %s is forgotten. Its tokens are good until they are revoked.", name)
	return nil
}

// profileName is the name of the profile that is meant.
func (o options) profileName() string { return cmp.Or(o.profile, o.Getenv("ESHOP_PROFILE"), usual) }
