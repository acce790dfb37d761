import type { JsonResult } from '../json/json-result.ts'
import type { InferOutput, StandardSchema } from './schema.ts'

type IsJson<S> = [S] extends [StandardSchema]
  ? [InferOutput<S>] extends [JsonResult<InferOutput<S>>]
    ? true
    : false
  : true

/**
 * Refuses a schema whose output is stored but is not JSON: `schema: S & JsonOutput<S>`. The compiler shows the text as the
 * type that was expected.
 *
 * The order of the branches matters: of a condition on a type parameter, the compiler requires both branches, except for
 * the first if `any` would not take it. Otherwise no function that is generic in its schema would compile.
 */
export type JsonOutput<S> = [IsJson<S>] extends [false]
  ? 'The output of this schema is not JSON: transform it, for example a Date by date.toISOString()'
  : unknown
