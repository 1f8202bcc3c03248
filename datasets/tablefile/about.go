package tablefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"racecard/datasets/parquetio"
	"racecard/datasets/remaining"
)

// aboutFields returns the fields of about in alphabetic order, text as it is and the rest as JSON.
func aboutFields(about remaining.About) ([]parquetio.Pair, error) {
	fields, err := rawFields(about)
	if err != nil {
		return nil, err
	}
	var pairs []parquetio.Pair
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		value := string(fields[key])
		if isText(fields[key]) {
			if err := json.Unmarshal(fields[key], &value); err != nil {
				return nil, err
			}
		}
		if strings.Contains(value, mark) {
			return nil, fmt.Errorf("%s: %q cannot be kept: it holds the mark of a checksum", key, value)
		}
		pairs = append(pairs, parquetio.Pair{Key: key, Value: value})
	}
	return pairs, nil
}

// parseAbout is the inverse of aboutFields. Pairs may hold others; each field must be there.
func parseAbout(pairs map[string]string) (remaining.About, error) {
	var about remaining.About
	fields, err := rawFields(about)
	if err != nil {
		return about, err
	}
	for key, empty := range fields {
		value, ok := pairs[key]
		if !ok {
			return about, fmt.Errorf("metadata: there is no %q: %s", key, rebuild(pairs))
		}
		fields[key] = json.RawMessage(value)
		if isText(empty) {
			if fields[key], err = json.Marshal(value); err != nil {
				return about, err
			}
		}
	}
	doc, err := json.Marshal(fields)
	if err != nil {
		return about, fmt.Errorf("metadata: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&about); err != nil {
		return about, fmt.Errorf("metadata: %w: %s", err, rebuild(pairs))
	}
	return about, nil
}

// rebuild says how to get a table that this racecard reads, and which racecard made the one with these pairs.
func rebuild(pairs map[string]string) string {
	made := "another version of racecard"
	if v := pairs["racecard"]; v != "" {
		made += " (" + v + ")"
	}
	return "the table was made by " + made + ", whose tables this one does not read: build it again with `racecard " +
		"table build MODELS --out TABLES`"
}

func rawFields(about remaining.About) (map[string]json.RawMessage, error) {
	doc, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	return fields, json.Unmarshal(doc, &fields)
}

func isText(value json.RawMessage) bool { return len(value) > 0 && value[0] == '"' }
