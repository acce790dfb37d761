export { MAX_JSON_DEPTH, type JsonValue } from './json-value.ts'
export { parseJson, type ParseJsonOptions } from './parse-json.ts'
export { NotJsonError, toJson } from './to-json.ts'
