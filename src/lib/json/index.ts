export { type JsonValue } from './json-value.ts'
export { parseJson } from './parse-json.ts'
export { NotJsonError, toJson } from './to-json.ts'
