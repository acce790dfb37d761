import { z } from 'zod'
import { Id, JsonObject } from '../fields.ts'
import { parsePointer } from '../../lib/json/json-pointer.ts'

/** What a case runs. */
export const CaseTarget = z.union(
  [z.strictObject({ workflow: Id }), z.strictObject({ agent: Id }), z.strictObject({ tool: Id })],
  { error: 'Must be { "workflow": id }, { "agent": id } or { "tool": id }' },
)
export type CaseTarget = z.infer<typeof CaseTarget>

const Pattern = z.string().refine(isPattern, 'Must be a regular expression')

/** How a value of the output is compared. */
export const CaseRule = z.union(
  [
    z.strictObject({ ignore: z.literal(true) }),
    z.strictObject({ regex: Pattern }),
    z.strictObject({
      range: z
        .array(z.number())
        .length(2)
        .refine(([least = 0, most = 0]) => least <= most, 'Must be [least, most], the smaller number first'),
    }),
    z.strictObject({ schema: JsonObject }),
  ],
  { error: 'Must be { "ignore": true }, { "regex": … }, { "range": [least, most] } or { "schema": … }' },
)
export type CaseRule = z.infer<typeof CaseRule>

/** Rules by the JSON pointers (RFC 6901) of the values they are for. `*` stands for any one key or index. */
export const CaseRules = z
  .record(z.string(), CaseRule)
  .refine(
    (rules) => Object.keys(rules).every((pointer) => parsePointer(pointer) !== undefined),
    'The keys must be JSON pointers, such as "/items/0/price"',
  )
export type CaseRules = z.infer<typeof CaseRules>

/** A case: an input for a workflow, an agent or a tool, and what is expected of the output. */
export const Case = z
  .strictObject({
    target: CaseTarget,
    input: z.unknown().refine((value) => value !== undefined, 'Required'),
    options: JsonObject.optional(),
    resume: z.array(z.unknown()).optional(),
    expected: z.unknown().optional(),
    rules: CaseRules.optional(),
    scorers: z.array(z.union([z.string(), z.record(z.string(), z.unknown())])).optional(),
    note: z.string().optional(),
    from: z
      .union([
        z.strictObject({ executionId: z.string(), at: z.string() }),
        z.strictObject({ runId: z.string(), at: z.string() }),
      ])
      .optional(),
  })
  .meta({ id: 'Case' })
export type Case = z.infer<typeof Case>

/** The id of the target, with its kind: `workflow order`. */
export function targetName(target: CaseTarget): string {
  return kindAndId(target).join(' ')
}

/** The kind of a target, and its id. */
export function kindAndId(target: CaseTarget): readonly [kind: string, id: string] {
  return Object.entries(target)[0] as [string, string]
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text).source !== ''
  } catch {
    return false
  }
}
