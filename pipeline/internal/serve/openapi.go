package serve

import (
	"encoding/json"
	"net/http"
	"path"
	"reflect"
	"strings"

	"racecard/datasets/result"
	"racecard/pipeline/live"
)

// endpoint is a path of the server, with the data for its OpenAPI description.
type endpoint struct {
	pattern string // "METHOD /path"
	scope   Scope  // "" needs no permission
	summary string
	query   []string // parameters; those with * are required
	body    any      // nil for none
	answer  any      // nil for text
	do      func(http.ResponseWriter, *http.Request) error
}

// batchOf describes the answers of a batch.
type batchOf[T any] struct {
	Generation int64 `json:"generation"`
	Answers    []T   `json:"answers"`
}

// endedApp is the answer of DELETE /v1/apps/{app}.
type endedApp struct {
	App   string `json:"app"`
	Ended bool   `json:"ended"`
}

// admitAnswer is the answer of POST /v1/admit.
type admitAnswer struct {
	Generation int64 `json:"generation"`
	*live.Admission
}

// openAPI returns the description of endpoints as an OpenAPI 3.1 document
// (https://spec.openapis.org/oas/v3.1.0). Schemas are derived from the Go types of requests and answers.
func openAPI(version string, endpoints []endpoint) []byte {
	type doc = map[string]any
	schemas, paths := doc{}, doc{}
	problem := doc{
		"description": "error",
		"content":     doc{"application/problem+json": doc{"schema": schema(reflect.TypeFor[Problem](), schemas)}},
	}
	for _, e := range endpoints {
		method, route, _ := strings.Cut(e.pattern, " ")
		op := doc{"summary": e.summary, "operationId": operation(method, route), "responses": doc{"default": problem}}
		ok := doc{"description": "answer"}
		if e.answer != nil {
			ok["content"] = doc{jsonType: doc{"schema": schema(reflect.TypeOf(e.answer), schemas)}}
		}
		if route == "/v1/tables/{job}" {
			binary := doc{"schema": doc{"type": "string", "contentMediaType": "application/octet-stream"}}
			ok["content"].(doc)[arrowType], ok["content"].(doc)[parquetType] = binary, binary
		}
		op["responses"].(doc)["200"] = ok
		if e.body != nil {
			op["requestBody"] = doc{
				"required": true,
				"content":  doc{jsonType: doc{"schema": schema(reflect.TypeOf(e.body), schemas)}},
			}
		}
		if e.scope != "" {
			op["security"] = []doc{{"token": []string{string(e.scope)}}, {}}
		}
		var parameters []doc
		for rest := route; ; {
			_, after, found := strings.Cut(rest, "{")
			if !found {
				break
			}
			name, next, _ := strings.Cut(after, "}")
			parameters, rest = append(parameters, doc{"name": name, "in": "path", "required": true,
				"schema": doc{"type": "string"}}), next
		}
		for _, q := range e.query {
			name, required := strings.CutSuffix(q, "*")
			kind := "number"
			if name == "job" {
				kind = "string"
			}
			parameters = append(parameters, doc{"name": name, "in": "query", "required": required,
				"schema": doc{"type": kind}})
		}
		if parameters != nil {
			op["parameters"] = parameters
		}
		if paths[route] == nil {
			paths[route] = doc{}
		}
		paths[route].(doc)[strings.ToLower(method)] = op
	}
	out, _ := json.MarshalIndent(doc{ // cannot fail
		"openapi": "3.1.0",
		"info": doc{"title": "racecard serve", "version": version,
			"description": "Remaining times, control loops and admission for live schedulers. Times are seconds; *_s " +
				"of decisions count from the start of the run."},
		"paths":      paths,
		"components": doc{"schemas": schemas, "securitySchemes": doc{"token": doc{"type": "http", "scheme": "bearer"}}},
	}, "", " ")
	return append(out, '\n')
}

// operation names an operation after its method and path.
func operation(method, route string) string {
	name := strings.ToLower(method)
	for _, part := range strings.FieldsFunc(route, func(r rune) bool { return strings.ContainsRune("/{}.", r) }) {
		name += strings.ToUpper(part[:1]) + part[1:]
	}
	return name
}

// schema returns the schema of a type; structures go to schemas, under their names.
func schema(t reflect.Type, schemas map[string]any) map[string]any {
	type doc = map[string]any
	if t == reflect.TypeFor[result.Number]() {
		return doc{"type": []string{"number", "null"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner := schema(t.Elem(), schemas)
		if kind, ok := inner["type"].(string); ok {
			inner["type"] = []string{kind, "null"}
		}
		return inner
	case reflect.String:
		return doc{"type": "string"}
	case reflect.Bool:
		return doc{"type": "boolean"}
	case reflect.Float64:
		return doc{"type": "number"}
	case reflect.Slice:
		return doc{"type": []string{"array", "null"}, "items": schema(t.Elem(), schemas)}
	case reflect.Map:
		return doc{"type": "object", "additionalProperties": schema(t.Elem(), schemas)}
	case reflect.Struct:
		name := schemaName(t)
		if _, known := schemas[name]; !known {
			properties := doc{}
			schemas[name] = doc{"type": "object", "properties": properties}
			for _, f := range reflect.VisibleFields(t) {
				key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if f.Anonymous || !f.IsExported() || key == "" || key == "-" {
					continue
				}
				properties[key] = schema(f.Type, schemas)
			}
		}
		return doc{"$ref": "#/components/schemas/" + name}
	default:
		return doc{"type": "integer"}
	}
}

// schemaName names a structure. Names of structures of other packages begin with the package.
func schemaName(t reflect.Type) string {
	generic, of, _ := strings.Cut(strings.TrimSuffix(t.Name(), "]"), "[")
	name := strings.ToUpper(generic[:1]) + generic[1:]
	if of != "" {
		name += of[strings.LastIndex(of, ".")+1:]
	}
	if home := path.Base(t.PkgPath()); home != "serve" {
		name = strings.ToUpper(home[:1]) + home[1:] + name
	}
	return name
}
