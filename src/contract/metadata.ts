import { z } from 'zod'

/** The maximum number of members, and the maximum length of a text. */
export const MAX_METADATA = 20
const MAX_TEXT = 512

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** Members of the record's `metadata` that each execution has. */
const RESERVED: ReadonlySet<string> = new Set(['traceId', 'spanId'])

const Name = z
  .string()
  .regex(NAME, 'Must be letters, digits, "_" and "-", at most 64 characters')
  .refine((name) => !RESERVED.has(name), 'Is reserved: each execution has its own')

const Value = z.union([
  z
    .string()
    .max(MAX_TEXT)
    .refine((text) => !/[\p{Cs}\0]/u.test(text), 'Must be text without the character NUL'),
  z.number(),
  z.boolean(),
])

/** What an execution is found by: a flat object of texts, numbers and booleans. */
export const Metadata = z
  .record(Name, Value)
  .refine((metadata) => Object.keys(metadata).length <= MAX_METADATA, `Can have ${MAX_METADATA} members`)
export type Metadata = Readonly<Record<string, string | number | boolean>>

const PREFIX = 'metadata.'

/** Why a filter of this name filters nothing; `undefined` for one that does, and for other filters. */
export function metadataFilterProblem(filter: string): string | undefined {
  if (!/^metadata\b/i.test(filter)) return undefined
  if (!filter.startsWith(PREFIX)) return 'Must be metadata.<name>=<value>, such as metadata.plan=pro'
  return Name.safeParse(filter.slice(PREFIX.length)).error?.issues[0]?.message
}

/** The filters `metadata.<name>` of a query, by name. */
export function metadataIn(query: Readonly<Record<string, unknown>>): Record<string, string> | undefined {
  const named = Object.entries(query).flatMap(([name, value]) =>
    name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), String(value)] as const] : [],
  )
  return named.length > 0 ? Object.fromEntries(named) : undefined
}
