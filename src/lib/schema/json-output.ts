import type { JsonResult } from '../json/json-result.ts'
import type { InferOutput, StandardSchema } from './schema.ts'

/**
 * Refuses a schema whose output is stored but is not JSON: `schema: S & JsonOutput<S>`. The compiler shows the text as the
 * type that was expected.
 */
export type JsonOutput<S> = [S] extends [StandardSchema]
  ? [InferOutput<S>] extends [JsonResult<InferOutput<S>>]
    ? unknown
    : 'The output of this schema is not JSON: transform it, for example a Date by date.toISOString()'
  : unknown
