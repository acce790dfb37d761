import type { JsonSchema } from '../../lib/schema/json-schema.ts'

/** What a model is asked to write, and how the value is got out of what it wrote. */
export interface AnswerSchema {
  readonly schema: JsonSchema
  readonly read: (answer: unknown) => unknown
}

/** Providers take only objects as answers: any other value is asked for as the member `value` of one. */
export function answerSchema(schema: JsonSchema): AnswerSchema {
  if (schema['type'] === 'object') return { schema, read: (answer) => answer }
  const { $defs, ...value } = moveRefs(schema)
  return {
    schema: {
      type: 'object',
      properties: { value },
      required: ['value'],
      additionalProperties: false,
      ...($defs === undefined ? {} : { $defs }),
    },
    read: (answer) =>
      typeof answer === 'object' && answer !== null && 'value' in answer ? answer.value : undefined,
  }
}

/** Points references at where the schema is now; definitions stay at the root. */
function moveRefs(schema: JsonSchema): JsonSchema {
  const moved: JsonSchema = JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' && /^#(?!\/\$defs\/)(?:\/|$)/.test(value)
      ? value.replace('#', '#/properties/value')
      : value,
  )
  return moved
}
