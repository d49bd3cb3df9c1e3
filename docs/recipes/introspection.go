package introspection

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

type Guard struct {
	URL, ClientID, ClientSecret, Scope string
	mutex                              sync.Mutex
	cache                              map[string]answer
}

type answer struct {
	Active     bool   `json:"active"`
	Reason     string `json:"reason"`
	ClientID   string `json:"client_id"`
	MaxAge     int    `json:"max_age"`
	RetryAfter int    `json:"retry_after"`
	until      time.Time
}

// The credentials of this service are for the platform alone: no redirect is followed, and its answer is none of the platform's.
var client = http.Client{Timeout: 6 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}}
var status = map[string]int{"invalid_token": 401, "invalid_api_key": 401, "unauthorized": 401, "invalid_request": 400,
	"too_many_requests": 429, "quota_exceeded": 429, "temporarily_unavailable": 503}

// Whatever goes wrong between this service and the platform says nothing about the token: 503.
var unavailable = answer{Reason: "temporarily_unavailable", RetryAfter: 1}

func (g *Guard) find(token, ip string) answer {
	g.mutex.Lock()
	known, found := g.cache[token+" "+ip]
	g.mutex.Unlock()
	asked := time.Now()
	if found && asked.Before(known.until) {
		return known
	}
	form := url.Values{"client_id": {g.ClientID}, "client_secret": {g.ClientSecret}, "token": {token}, "ip": {ip}, "scope": {g.Scope}}
	response, err := client.PostForm(g.URL, form)
	if err != nil {
		return unavailable
	}
	defer response.Body.Close()
	var given answer
	if response.StatusCode != 200 || json.NewDecoder(response.Body).Decode(&given) != nil {
		return unavailable
	}
	given.until = asked.Add(time.Duration(given.MaxAge) * time.Second)
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.cache == nil || len(g.cache) >= 10000 {
		g.cache = map[string]answer{}
	}
	g.cache[token+" "+ip] = given
	return given
}

// Require lets requests pass whose access token the platform calls active; the caller is in the header Client-Id.
func (g *Guard) Require(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, sent := answer{Reason: "unauthorized"}, r.Header.Values("Authorization")
		if len(sent) == 1 && len(sent[0]) > 7 && strings.EqualFold(sent[0][:7], "bearer ") {
			ip, _, _ := net.SplitHostPort(r.RemoteAddr)
			given = g.find(strings.TrimSpace(sent[0][7:]), ip)
		}
		if given.Active {
			r.Header.Set("Client-Id", given.ClientID)
			next.ServeHTTP(w, r)
			return
		}
		code, found := status[given.Reason]
		if !found {
			code = 403
		}
		if code == 401 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="orders"`)
		}
		if given.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(given.RetryAfter))
		}
		http.Error(w, given.Reason, code)
	})
}
