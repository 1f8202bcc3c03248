package jobname

// A regular expression next to each finder defines its matches, which begin and end at places with at most one letter
// or digit next to them. Of several alternatives the first that matches is taken. The tests compare the finders with
// their expressions, which take 30 times as long.

// Kinds of characters.
const (
	digitKind = 1 << iota
	hexLetter
	otherLetter
)

// kinds classifies every character.
var kinds = func() (of [256]uint8) {
	for c := '0'; c <= '9'; c++ {
		of[c] = digitKind
	}
	for c := 'a'; c <= 'z'; c++ {
		kind := uint8(otherLetter)
		if c <= 'f' {
			kind = hexLetter
		}
		of[c], of[c-'a'+'A'] = kind, kind
	}
	return of
}()

func isDigit(c byte) bool { return kinds[c] == digitKind }
func isHex(c byte) bool   { return kinds[c]&(digitKind|hexLetter) != 0 }
func isWord(c byte) bool  { return kinds[c] != 0 }

// ends reports whether no letter or digit is at i.
func ends(s []byte, i int) bool { return i >= len(s) || !isWord(s[i]) }

// is reports whether one of the characters of set is at i.
func is(s []byte, i int, set string) bool {
	if i < len(s) {
		for k := range len(set) {
			if s[i] == set[k] {
				return true
			}
		}
	}
	return false
}

// run returns how many digits begin at i.
func run(s []byte, i int) int {
	n := 0
	for i+n < len(s) && isDigit(s[i+n]) {
		n++
	}
	return n
}

// pair reports whether the two digits at i are a number up to most.
func pair(s []byte, i, most int) bool {
	return i+1 < len(s) && isDigit(s[i]) && isDigit(s[i+1]) && int(s[i]-'0')*10+int(s[i+1]-'0') <= most
}

// small returns the length of the number from least to most that stands at i in one or two digits, 0 when there is
// none.
func small(s []byte, i, least, most int) int {
	n, v := 0, 0
	for i+n < len(s) && isDigit(s[i+n]) {
		if n == 2 {
			return 0
		}
		v = v*10 + int(s[i+n]-'0')
		n++
	}
	if v < least || v > most {
		return 0
	}
	return n
}

// century reports whether the four digits at i, and no more, begin with 19 or 20.
func century(s []byte, i int) bool {
	return i+1 < len(s) && (s[i] == '1' && s[i+1] == '9' || s[i] == '2' && s[i+1] == '0') && run(s, i) == 4
}

// uuid finds [0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}.
func uuid(s []byte, at int) (int, bool) {
	const length = 36
	if len(s)-at < length || !ends(s, at+length) {
		return 0, false
	}
	for i := range length {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if c := s[at+i]; dash && c != '-' || !dash && !isHex(c) {
			return 0, false
		}
	}
	return at + length, true
}

// clock finds (?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?
func clock(s []byte, at int) (int, bool) {
	n := small(s, at, 0, 23)
	if n == 0 || !is(s, at+n, ":") || !pair(s, at+n+1, 59) {
		return 0, false
	}
	minutes := at + n + 3
	if is(s, minutes, ":") && pair(s, minutes+1, 59) {
		seconds := minutes + 3
		if is(s, seconds, ".") {
			if n := run(s, seconds+1); n > 0 && ends(s, seconds+1+n) {
				return seconds + 1 + n, true
			}
		}
		if ends(s, seconds) {
			return seconds, true
		}
	}
	return minutes, ends(s, minutes)
}

// date finds a day and what [moment] finds behind it:
//
//	(?:19|20)\d\d[-/._](?:0?[1-9]|1[0-2])[-/._](?:0?[1-9]|[12]\d|3[01])
//	(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:19|20)\d\d
func date(s []byte, at int) (int, bool) {
	if !isDigit(s[at]) {
		return 0, false
	}
	if century(s, at) {
		month := at + 5
		m := small(s, month, 1, 12)
		day := month + m + 1
		d := small(s, day, 1, 31)
		if m == 0 || d == 0 || !is(s, month-1, "-/._") || !is(s, day-1, "-/._") {
			return 0, false
		}
		return moment(s, day+d)
	}
	a := small(s, at, 1, 31)
	second := at + a + 1
	if a == 0 || !is(s, second-1, "-/.") {
		return 0, false
	}
	b := small(s, second, 1, 31)
	year := second + b + 1
	if b == 0 || !is(s, year-1, "-/.") || !century(s, year) {
		return 0, false
	}
	return moment(s, year+4)
}

// moment finds the time of day behind a date, where there is one:
//
//	(?:[T :_]HH(?::MM){0,2}|THHMM{1,2}|_HH(?:-MM-MM|MMMM))?(?:\.\d+)?Z?    with HH = (?:[01]\d|2[0-3]), MM = [0-5]\d
func moment(s []byte, at int) (int, bool) {
	if is(s, at, "T :_") && pair(s, at+1, 23) {
		hour := at + 3
		var ways [6]int // where it may end, in the order of the alternatives
		n := 0
		if is(s, hour, ":") && pair(s, hour+1, 59) {
			if is(s, hour+3, ":") && pair(s, hour+4, 59) {
				ways[n], n = hour+6, n+1
			}
			ways[n], n = hour+3, n+1
		}
		ways[n], n = hour, n+1
		if s[at] == 'T' && pair(s, hour, 59) {
			if pair(s, hour+2, 59) {
				ways[n], n = hour+4, n+1
			}
			ways[n], n = hour+2, n+1
		}
		if s[at] == '_' {
			switch {
			case is(s, hour, "-") && pair(s, hour+1, 59) && is(s, hour+3, "-") && pair(s, hour+4, 59):
				ways[n], n = hour+6, n+1
			case pair(s, hour, 59) && pair(s, hour+2, 59):
				ways[n], n = hour+4, n+1
			}
		}
		for _, way := range ways[:n] {
			if end, found := fraction(s, way); found {
				return end, true
			}
		}
	}
	return fraction(s, at)
}

// fraction finds (?:\.\d+)?Z?
func fraction(s []byte, at int) (int, bool) {
	if is(s, at, ".") {
		if n := run(s, at+1); n > 0 {
			if end, found := zulu(s, at+1+n); found {
				return end, true
			}
		}
	}
	return zulu(s, at)
}

// zulu finds Z?
func zulu(s []byte, at int) (int, bool) {
	if is(s, at, "Z") && ends(s, at+1) {
		return at + 1, true
	}
	return at, ends(s, at)
}
