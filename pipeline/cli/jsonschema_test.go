package cli

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// schemaOptions are the options of [deriveSchema].
type schemaOptions struct {
	Comments sourceComments                  // may be nil
	Forms    map[reflect.Type]map[string]any // schemas of types that write their own JSON
	// Header is the type of the header. A document is its header alone if the field available is false.
	Header  reflect.Type
	Parts   map[reflect.Type][]string // parts of documents that have only these fields if available is false
	Version int                       // of the document, its field schema_version; 0 is none
	Strict  bool                      // refuse fields that the schema does not name: for tests
}

// schemaDialect is the dialect of the schemas.
const schemaDialect = "https://json-schema.org/draft/2020-12/schema"

// deriveSchema returns the JSON Schema (draft 2020-12) of the form in which encoding/json writes v. Only its type
// counts. Descriptions are the comments of types and fields, which [readComments] finds in the source.
//
// A type that writes its own JSON is described by an entry of Forms, or, if it embeds a header with the field Available,
// as either the whole or the header alone. Any other such type is an error: the schema would be a guess.
func deriveSchema(id, title string, v any, o schemaOptions) (map[string]any, error) {
	b := &schemaBuilder{schemaOptions: o, defs: map[string]any{}, names: map[string]reflect.Type{}}
	t := reflect.TypeOf(v)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	out := map[string]any{"$schema": schemaDialect, "$id": id, "title": title}
	var of map[string]any
	if t.Kind() == reflect.Struct && b.Forms[t] == nil {
		of = b.document(t)
	} else {
		of = b.schema(t)
	}
	for key, value := range of {
		out[key] = value
	}
	if text := b.Comments[typeKey(t)]; text != "" && out["description"] == nil {
		out["description"] = text
	}
	if len(b.defs) > 0 {
		out["$defs"] = b.defs
	}
	return out, b.err
}

type schemaBuilder struct {
	schemaOptions
	defs  map[string]any
	names map[string]reflect.Type
	err   error
}

// document returns the schema of an object that is a document: it has a version.
func (b *schemaBuilder) document(t reflect.Type) map[string]any {
	of := b.object(t)
	if b.Version > 0 {
		of["properties"].(map[string]any)["schema_version"] = map[string]any{"const": b.Version,
			"description": "Version of this schema. Fields may be added within a version; a field that changes or " +
				"goes makes a new one."}
		of["required"] = append([]string{"schema_version"}, required(of)...)
	}
	return b.orHeader(t, of)
}

// orHeader returns a schema that allows the header alone where the document is not available.
func (b *schemaBuilder) orHeader(t reflect.Type, of map[string]any) map[string]any {
	var header map[string]any
	switch names := b.Parts[t]; {
	case names != nil:
		properties := map[string]any{}
		for _, name := range names {
			properties[name] = of["properties"].(map[string]any)[name]
		}
		header = map[string]any{"type": "object", "properties": properties, "required": names}
	case b.Header != nil && embeds(t, b.Header):
		header = b.object(b.Header)
	default:
		return of
	}
	for _, name := range []string{"schema_version"} {
		if p, ok := of["properties"].(map[string]any)[name]; ok {
			header["properties"].(map[string]any)[name] = p
		}
	}
	return map[string]any{"if": map[string]any{"properties": map[string]any{"available": map[string]any{"const": false}}},
		"then": header, "else": of}
}

func embeds(t, header reflect.Type) bool {
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.Type == header {
			return true
		}
	}
	return false
}

func required(of map[string]any) []string {
	names, _ := of["required"].([]string)
	return names
}

// schema returns the schema of a type. Named structs are definitions.
func (b *schemaBuilder) schema(t reflect.Type) map[string]any {
	if form, ok := b.Forms[t]; ok {
		return form
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	case t.Kind() == reflect.Pointer:
		return orNull(b.schema(t.Elem()))
	}
	own := t.Implements(reflect.TypeFor[json.Marshaler]()) ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]())
	if own && b.Parts[t] == nil && (t.Kind() != reflect.Struct || b.Header == nil || !embeds(t, b.Header)) {
		b.fail("%v writes its own JSON", t)
	}
	if !own && (t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextMarshaler]())) {
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Array:
		return map[string]any{"type": "array", "items": b.schema(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": []string{"string", "null"}, "contentEncoding": "base64"}
		}
		return map[string]any{"type": []string{"array", "null"}, "items": b.schema(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": b.schema(t.Elem())}
	case reflect.Struct:
		return b.reference(t)
	case reflect.Interface:
		return map[string]any{}
	}
	b.fail("%v has no JSON form", t)
	return nil
}

func (b *schemaBuilder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("schema: "+format, args...)
	}
}

// reference returns a reference to the definition of a struct, which it makes.
func (b *schemaBuilder) reference(t reflect.Type) map[string]any {
	if t.Name() == "" {
		return b.object(t)
	}
	name := t.Name()
	for other := b.names[name]; other != nil && other != t; other = b.names[name] {
		name += "_"
	}
	if b.names[name] == nil {
		b.names[name] = t
		b.defs[name] = nil // a type may hold itself
		of := b.orHeader(t, b.object(t))
		if text := b.Comments[typeKey(t)]; text != "" {
			of["description"] = text
		}
		b.defs[name] = of
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

// object returns the schema of a struct.
func (b *schemaBuilder) object(t reflect.Type) map[string]any {
	properties, names := map[string]any{}, []string{}
	b.fields(t, properties, &names)
	of := map[string]any{"type": "object", "properties": properties, "required": names}
	if b.Strict {
		of["additionalProperties"] = false
	}
	return of
}

func (b *schemaBuilder) fields(t reflect.Type, properties map[string]any, names *[]string) {
	for _, f := range shallowLast(t) {
		name, flags, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		for inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-" && flags == "":
			continue
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct && b.Forms[inner] == nil:
			b.fields(inner, properties, names)
			continue
		case !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		of := b.schema(f.Type)
		optional := strings.Contains(flags, "omitempty") || strings.Contains(flags, "omitzero")
		if text := b.Comments[typeKey(t)+"."+f.Name]; text != "" {
			of = with(of, "description", text)
		}
		properties[name] = of
		// of an embedded struct, hidden
		*names = slices.DeleteFunc(*names, func(other string) bool { return other == name })
		if !optional {
			*names = append(*names, name)
		}
	}
}

// shallowLast returns the fields of a struct, embedded structs first: fields of the struct itself hide theirs.
func shallowLast(t reflect.Type) []reflect.StructField {
	var embedded, own []reflect.StructField
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous {
			embedded = append(embedded, f)
		} else {
			own = append(own, f)
		}
	}
	return append(embedded, own...)
}

// with returns a copy of a schema with one more keyword.
func with(of map[string]any, key string, value any) map[string]any {
	out := map[string]any{key: value}
	for k, v := range of {
		out[k] = v
	}
	out[key] = value
	return out
}

// orNull allows null.
func orNull(of map[string]any) map[string]any {
	switch kind := of["type"].(type) {
	case string:
		return with(of, "type", []string{kind, "null"})
	case []string:
		return of
	}
	if len(of) == 0 {
		return of
	}
	return map[string]any{"anyOf": []any{of, map[string]any{"type": "null"}}}
}
