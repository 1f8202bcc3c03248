package serve

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// accepted returns the offered media type that the Accept header of a request prefers, "" if it takes none of them
// (RFC 9110, section 12.5.1). Of types with the same weight the first offered one is preferred. A range that cannot be
// read does not count.
func accepted(r *http.Request, offers ...string) string {
	header := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(header) == "" {
		return offers[0]
	}
	weights, exactness := make([]float64, len(offers)), make([]int, len(offers))
	for text := range strings.SplitSeq(header, ",") {
		kind, parameters, err := mime.ParseMediaType(text)
		if err != nil {
			continue
		}
		weight := 1.0
		if q, ok := parameters["q"]; ok {
			if weight, err = strconv.ParseFloat(q, 64); err != nil || !(weight >= 0 && weight <= 1) {
				continue
			}
		}
		for i, offer := range offers {
			if exact := match(kind, offer); exact > exactness[i] {
				weights[i], exactness[i] = weight, exact
			}
		}
	}
	best := 0
	for i, weight := range weights {
		if weight > weights[best] {
			best = i
		}
	}
	if weights[best] == 0 {
		return ""
	}
	return offers[best]
}

// match returns how exactly a media range names a type: 3 as it is, 2 as type/*, 1 as */*, 0 not at all.
func match(kind, offer string) int {
	family, _, _ := strings.Cut(offer, "/")
	switch kind {
	case offer:
		return 3
	case family + "/*":
		return 2
	case "*/*":
		return 1
	}
	return 0
}

// unchanged reports whether a request states, in If-None-Match, that its client has the version with an entity tag.
func unchanged(r *http.Request, tag string) bool {
	for text := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if text = strings.TrimSpace(text); text == "*" || strings.TrimPrefix(text, "W/") == tag {
			return true
		}
	}
	return false
}
