package recipe

import "maps"

// Schema returns a JSON Schema (draft 2020-12) of recipes, for editors.
func Schema(kinds []Kind) map[string]any {
	text := map[string]any{"type": "string"}
	texts := oneOrMore(map[string]any{"type": []string{"string", "number"}})
	var steps []any
	var traces map[string]any
	for _, k := range kinds {
		properties := map[string]any{}
		for _, o := range k.Options() {
			properties[o.Name] = o.schema()
		}
		if k.Name == Import {
			properties["paths"] = describe(oneOrMore(map[string]any{"type": "string"}), "files and folders of the "+
				"trace, relative to this file")
			traces = object(properties, "paths")
			continue
		}
		properties[k.Name] = describe(oneOrMore(text), k.Summary+"; what it reads: steps, TRACE/STEP, or paths that "+
			"begin with ./, ../ or /")
		properties["traces"] = describe(oneOrMore(text), "traces that the step is taken for; all when left out")
		properties["needs"] = describe(oneOrMore(text), "steps that must have succeeded")
		properties["args"] = describe(texts, "further arguments of the command")
		required := []string{k.Name}
		if k.Name == Publish {
			properties["to"] = describe(text, "place that is replaced in one step")
			required = append(required, "to")
		}
		steps = append(steps, object(properties, required...))
	}
	whole := func(most int) map[string]any { return map[string]any{"type": "integer", "minimum": 1, "maximum": most} }
	top := object(map[string]any{
		"version": map[string]any{"const": 1},
		"out":     describe(text, "folder of the results, relative to this file"),
		"keep":    describe(whole(maxKeep), "runs whose results are kept"),
		"jobs":    describe(whole(maxJobs), "steps at once"),
		"traces":  map[string]any{"type": "object", "additionalProperties": traces, "minProperties": 1},
		"steps":   map[string]any{"type": "object", "additionalProperties": map[string]any{"oneOf": steps}},
		"on_failure": object(map[string]any{
			"webhook": describe(text, "address that the summary of a run that failed is posted to, as JSON"),
			"command": describe(oneOrMore(text), "program that reads the summary on standard input"),
		}),
	}, "out", "traces")
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = "racecard.yaml"
	return top
}

func object(properties map[string]any, required ...string) map[string]any {
	o := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

func oneOrMore(item map[string]any) map[string]any {
	return map[string]any{"oneOf": []any{item, map[string]any{"type": "array", "items": item, "minItems": 1}}}
}

func describe(schema map[string]any, text string) map[string]any {
	described := maps.Clone(schema)
	described["description"] = text
	return described
}

// schema returns the form of an option.
func (o Option) schema() map[string]any {
	item := map[string]any{"type": []string{"string", "number"}}
	switch {
	case o.Choices != nil:
		item = map[string]any{"enum": o.Choices}
	case o.Text:
		item = map[string]any{"type": "string"}
	}
	switch o.Shape {
	case Truth:
		item = map[string]any{"type": "boolean"}
	case List:
		item = oneOrMore(item)
	case Pairs:
		item = map[string]any{"oneOf": []any{item, map[string]any{"type": "object", "additionalProperties": item}}}
	}
	return describe(item, o.Usage)
}
