import { z } from 'zod'
import type { ModelName } from '../../agent/model-object.ts'
import { DURATION_RULE } from '../../lib/duration.ts'
import { CaseRules } from '../../contract/evals/case.ts'
import { equals, matchesSchema, contains, similar } from './output-scorers.ts'
import { maxCost, maxLatency, maxSteps } from './limits.ts'
import { llmJudge } from './llm-judge.ts'

import type { Scorer } from './scorer.ts'

import { toolCalls } from './tool-calls.ts'

const Text = z.string()
const Call = z.union([Text, z.strictObject({ toolName: Text, input: z.unknown().optional() })])

/** A scorer of the product as case files name it: its argument, and how it is made of it. */
function named<S extends z.ZodType>(argument: S, create: (value: z.output<S>) => Scorer) {
  return (value: unknown): Scorer => create(argument.parse(value))
}

const SCORERS: Readonly<Record<string, (argument: unknown) => Scorer>> = {
  equals: named(z.strictObject({ rules: CaseRules.optional() }).optional(), (options) => equals(options)),
  matchesSchema: named(z.record(z.string(), z.unknown()), matchesSchema),
  contains: named(z.union([Text, z.array(Text)]).optional(), contains),
  similar: named(z.undefined(), similar),
  toolCalls: named(z.array(Call), (calls) => toolCalls(calls)),
  maxSteps: named(z.int().min(1), maxSteps),
  maxCost: named(z.number().min(0), maxCost),
  maxLatency: named(z.union([z.number(), z.string()]), (limit) => maxLatency(limit as `${number}s`)),
  llmJudge: named(z.strictObject({ criteria: Text, model: Text }), ({ criteria, model }) =>
    llmJudge({ criteria, model: model as ModelName }),
  ),
}

/**
 * The scorer that an entry of `scorers` in a case file names: `"similar"`, or `{ "maxSteps": 4 }`.
 *
 * @throws Error with the names there are, or what its argument must be.
 */
export function namedScorer(entry: string | Readonly<Record<string, unknown>>): Scorer {
  const [[name, argument] = [], other] =
    typeof entry === 'string' ? [[entry, undefined]] : Object.entries(entry)
  const create = name === undefined || !Object.hasOwn(SCORERS, name) ? undefined : SCORERS[name]
  if (!create || other !== undefined)
    throw new Error(
      `must be one scorer of ${Object.keys(SCORERS).join(', ')}: "similar" or { "maxSteps": 4 }`,
    )
  try {
    return create(argument)
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    const rule = name === 'maxLatency' ? `; use ${DURATION_RULE}` : ''
    throw new Error(`${name}: ${error.issues.map(({ message }) => message).join('; ')}${rule}`, {
      cause: error,
    })
  }
}
