package serve

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Scope is a permission.
type Scope string

// The scopes.
const (
	ScopeRead   Scope = "read"   // look-ups, tables, admission, applications and metrics
	ScopeDecide Scope = "decide" // control loops
)

// Credentials are the bearer tokens that a server accepts. The zero value accepts none.
type Credentials struct {
	tokens []credential
}

type credential struct {
	sum     [sha256.Size]byte
	scopes  []Scope
	expires time.Time // zero: never
}

// leastToken is the least length of a token.
const leastToken = 16

// parseCredentials reads a file of tokens: one per line with its scopes, separated by commas, and, if it expires, the
// instant in RFC 3339. Empty lines and lines that begin with # do not count. Errors name the line, never the token.
//
//	0f8c2d…b1 read,decide 2027-01-01T00:00:00Z
func parseCredentials(data []byte) (Credentials, error) {
	var c Credentials
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 2 || len(fields) > 3 {
			return c, fmt.Errorf("line %d: want a token, scopes and perhaps an expiry", n)
		}
		if len(fields[0]) < leastToken {
			return c, fmt.Errorf("line %d: the token has fewer than %d characters", n, leastToken)
		}
		one := credential{sum: sha256.Sum256([]byte(fields[0]))}
		for _, s := range strings.Split(fields[1], ",") {
			if scope := Scope(s); scope != ScopeRead && scope != ScopeDecide {
				return c, fmt.Errorf("line %d: scopes are %s and %s, separated by a comma", n, ScopeRead, ScopeDecide)
			}
			one.scopes = append(one.scopes, Scope(s))
		}
		if len(fields) == 3 {
			var err error
			if one.expires, err = time.Parse(time.RFC3339, fields[2]); err != nil {
				return c, fmt.Errorf("line %d: the expiry is not an instant such as 2027-01-01T00:00:00Z", n)
			}
		}
		c.tokens = append(c.tokens, one)
	}
	if err := lines.Err(); err != nil {
		return c, err
	}
	if len(c.tokens) == 0 {
		return c, fmt.Errorf("no tokens: nobody could get in")
	}
	return c, nil
}

// check returns 0 if the credentials of a request include a scope, or else the status to refuse it with. All tokens are
// compared, each in constant time.
func (c *Credentials) check(header string, scope Scope, now time.Time) int {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return http.StatusUnauthorized
	}
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	found := -1
	for i := range c.tokens {
		if subtle.ConstantTimeCompare(sum[:], c.tokens[i].sum[:]) == 1 {
			found = i
		}
	}
	switch {
	case found < 0, !c.tokens[found].expires.IsZero() && !now.Before(c.tokens[found].expires):
		return http.StatusUnauthorized
	case !slices.Contains(c.tokens[found].scopes, scope):
		return http.StatusForbidden
	}
	return 0
}

// isLoopback reports whether an address, with or without a port, is one of this machine only.
func isLoopback(address string) bool {
	host := address
	if h, _, err := net.SplitHostPort(address); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
