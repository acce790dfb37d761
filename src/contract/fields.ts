import { z } from 'zod'
import { AppError } from '../lib/errors.ts'
import { ID_RULE, isId } from '../lib/ids.ts'

/** An id chosen by a user or client; `ID_RULE` describes it. */
export const Id = z
  .string()
  .refine(isId, `Must be ${ID_RULE}`)
  .meta({
    id: 'Id',
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$',
    description: `String of ${ID_RULE}`,
  })

const STEP_ID = '[A-Za-z0-9][A-Za-z0-9._:-]{0,127}(?:\\[\\d{1,15}\\])*'
const MAX_PATH = 2048

/** The id of a step in an execution; that of an item or a round ends with its index. Or its path: `order/book`. */
export const StepId = z
  .string()
  .max(MAX_PATH)
  .regex(
    new RegExp(`^${STEP_ID}(?:/${STEP_ID})*$`),
    `Must be ${ID_RULE}; an index such as [3] may follow. A path has the ids of the steps around it before it: order/book`,
  )

/** An instant as ISO 8601 in UTC. */
export const Instant = z.string().meta({ format: 'date-time' })

export const JsonObject = z.record(z.string(), z.unknown())

/** Any JSON value; required. */
export const RequiredJson = z.unknown().refine((value) => value !== undefined, 'Required')

export const JsonSchemaDocument = z.record(z.string(), z.unknown()).meta({
  id: 'JsonSchema',
  description: 'JSON Schema, draft 2020-12',
})

export const WorkflowParams = z.object({ id: Id.describe('Workflow id') })

export const ExecutionParams = z.object({
  id: Id.describe('Workflow id'),
  executionId: Id.describe('Execution id'),
})

const TIME = 'T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)?'

/** A date that exists, with or without a time. JavaScript alone parses 30 February as 2 March. */
const INSTANT = new RegExp(`^(?:${z.core.regexes.date.source.slice(1, -1)})(?:${TIME})?$`)

/** An ISO instant in a query. */
export const InstantQuery = z.string().regex(INSTANT, 'Must be an ISO 8601 instant').meta({
  id: 'InstantQuery',
  description:
    'ISO 8601 instant, such as `2026-11-22T09:30:00Z`, or a date, which means midnight UTC. A time without offset is local to the server',
})

/** Search words in a query. */
export const WordsQuery = z
  .string()
  .max(256)
  .refine((text) => text.trim() !== '', 'Must contain a word')
  .refine((text) => !text.includes('\0'), 'Must not contain the character NUL')
  .meta({ pattern: String.raw`^[^\u0000]*[^\s\u0000][^\u0000]*$` })

/** A whole number in a query string. */
export function wholeNumber(rule: { min: number; max: number }) {
  return z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= rule.min && Number(text) <= rule.max, {
      message: `Must be a whole number from ${rule.min} to ${rule.max}`,
    })
    .meta({ type: 'integer', minimum: rule.min, maximum: rule.max })
}

/** A screenful by default; the maximum is what a response can hold in a few milliseconds. */
export const PAGE = { defaultLimit: 20, maxLimit: 200 } as const

export const PageQuery = z.object({
  limit: wholeNumber({ min: 1, max: PAGE.maxLimit })
    .optional()
    .describe(`Maximum number of results; default ${PAGE.defaultLimit}`),
  offset: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })
    .optional()
    .describe('Number of results to skip; default 0'),
})

/** A page by its number. */
export const PageNumberQuery = z.object({
  page: wholeNumber({ min: 1, max: 1_000_000 }).optional().describe('Page number; default 1'),
  limit: PageQuery.shape.limit,
})

export const CreatedQuery = z.object({
  from: InstantQuery.optional().describe('Only those created after this instant'),
  to: InstantQuery.optional().describe('Only those created before this instant'),
})

export const AfterQuery = z.object({
  after: wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER })
    .optional()
    .describe('Sequence number of the last event received; the header Last-Event-ID takes precedence'),
})

export const IncludeQuery = z.object({
  include: z
    .enum(['contract'])
    .optional()
    .describe('`contract`: only the recorded events, without those of agents that answer'),
})

/**
 * The query parameters of a URL.
 *
 * @throws AppError `invalid_input` when a parameter is repeated.
 */
export function queryValues(url: string): Record<string, string> {
  const start = url.indexOf('?')
  if (start === -1) return {}
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    if (values.has(name)) throw new AppError('invalid_input', `${name}: Must not be repeated`)
    values.set(name, value)
  }
  return Object.fromEntries(values)
}
