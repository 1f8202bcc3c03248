package page

import (
	"reflect"

	"racecard/datasets/result"
)

// Documents returns an empty report.json of a report and one of a steered run, for their schemas.
func Documents() (report, steered any) { return document{}, steeredReport{} }

// Forms returns the JSON Schemas of the types in reports with a custom JSON form. summary is the schema of a Summary.
func Forms(ofSummary map[string]any) map[reflect.Type]map[string]any {
	properties := map[string]any{"intervals": map[string]any{"type": []string{"object", "null"},
		"additionalProperties": map[string]any{
			"type": "array", "minItems": 2, "maxItems": 2, "items": map[string]any{"type": []string{"number", "null"}}},
		"description": "95% confidence intervals by percentile, such as p50."}}
	for name, of := range ofSummary["properties"].(map[string]any) {
		properties[name] = of
	}
	out := map[string]any{}
	for key, value := range ofSummary {
		out[key] = value
	}
	out["properties"] = properties
	return map[reflect.Type]map[string]any{reflect.TypeFor[summary](): out,
		reflect.TypeFor[result.Summary](): ofSummary}
}
