import { compileSchema, formatIssues } from '../../lib/schema/schema.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import { scorer } from './scorer.ts'
import type { Scorer } from './scorer.ts'

/**
 * Scores 1 if the output is valid for a schema of zod or another Standard Schema library, or a JSON Schema; otherwise 0.
 *
 * @throws AppError `invalid_config` when it is not a schema.
 *
 * @example
 * matchesSchema(z.object({ total: z.number().positive() }))
 */
export function matchesSchema(schema: Schema): Scorer {
  const compiled = compileSchema(schema)
  return scorer('matchesSchema', async ({ output }) => {
    const validation = await compiled.validate(output)
    return validation.ok ? 1 : { score: 0, reason: formatIssues(validation.issues, 'output') }
  })
}
