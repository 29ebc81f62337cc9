package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"
)

var site, publicURL = os.Getenv("JOBD_URL"), os.Getenv("PUBLIC_URL")
var seen = map[string]int64{} // nonces until they expire; several processes need a common store
var lock sync.Mutex
var form = regexp.MustCompile(`^sig1=(\("@method" "@target-uri" "x-service-run-id" "x-service-scheduled-for"( "content-digest")? "signature-agent"\);created=(\d+);expires=(\d+);nonce="([^"]+)";keyid="([^"]+)";tag="web-bot-auth")$`)
var signed = regexp.MustCompile(`^sig1=:(.+):$`)

// Returns the key of this id. Keep the keys for 5 minutes in a real program.
func keyOf(kid string) (ed25519.PublicKey, error) {
	client := http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get(site + "/.well-known/http-message-signatures-directory")
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var set struct{ Keys []struct{ Kid, X string } }
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&set); err != nil {
		return nil, err
	}
	for _, key := range set.Keys {
		raw, err := base64.RawURLEncoding.DecodeString(key.X)
		if key.Kid == kid && err == nil && len(raw) == ed25519.PublicKeySize {
			return raw, nil
		}
	}
	return nil, errors.New("unknown key")
}

func verifyCall(r *http.Request, body []byte) error {
	head := func(name string) string { return r.Header.Get(name) }
	input, signature := form.FindStringSubmatch(head("Signature-Input")), signed.FindStringSubmatch(head("Signature"))
	if input == nil || signature == nil || (len(body) > 0) != (input[2] != "") {
		return errors.New("not signed as it should be")
	}
	base := "\"@method\": " + r.Method + "\n\"@target-uri\": " + publicURL + r.RequestURI + "\n\"x-service-run-id\": " + head("X-Service-Run-Id") + "\n\"x-service-scheduled-for\": " + head("X-Service-Scheduled-For") + "\n"
	if len(body) > 0 {
		base += "\"content-digest\": " + head("Content-Digest") + "\n"
	}
	base += "\"signature-agent\": " + head("Signature-Agent") + "\n\"@signature-params\": " + input[1]
	key, err := keyOf(input[6])
	if err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(signature[1])
	if err != nil || !ed25519.Verify(key, []byte(base), raw) {
		return errors.New("altered")
	}
	created, _ := strconv.ParseInt(input[3], 10, 64)
	expires, _ := strconv.ParseInt(input[4], 10, 64)
	now := time.Now().Unix()
	if now > expires+30 || now < created-30 {
		return errors.New("expired")
	}
	digest := sha256.Sum256(body)
	if len(body) > 0 && head("Content-Digest") != "sha-256=:"+base64.StdEncoding.EncodeToString(digest[:])+":" {
		return errors.New("altered body")
	}
	if head("Signature-Agent") != strconv.Quote(site) {
		return errors.New("another site")
	}
	lock.Lock()
	defer lock.Unlock()
	for nonce, until := range seen {
		if until < now {
			delete(seen, nonce)
		}
	}
	if _, known := seen[input[5]]; known {
		return errors.New("replayed")
	}
	seen[input[5]] = expires + 30
	return nil
}

func main() {
	http.HandleFunc("/hook", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err == nil {
			err = verifyCall(r, body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		io.WriteString(w, "run "+r.Header.Get("X-Service-Run-Id"))
	})
	http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil)
}
