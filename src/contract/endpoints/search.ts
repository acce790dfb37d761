import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Instant, wholeNumber } from '../fields.ts'
import { MAX_SEARCH_CHARS, SEARCH_KINDS, SEARCH_STATUSES, parseSearch } from '../search/search-query.ts'

export const SEARCH_PAGE = { defaultLimit: 20, maxLimit: 100 } as const

/** Where a result has the words, if not in its ids and names. */
const MATCH_FIELDS = ['error', 'input', 'output', 'detail', 'log', 'step'] as const
export type MatchField = (typeof MATCH_FIELDS)[number]

/** The text of a search; `parseSearch` describes it. */
export const SearchText = z
  .string()
  .max(MAX_SEARCH_CHARS)
  .refine((text) => !text.includes('\0'), 'Must not contain the character NUL')
  .superRefine((text, context) => {
    const { problem } = parseSearch(text)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })
  .describe(
    'Words, phrases in quotes, and the filters `status`, `workflow`, `agent`, `user`, `kind` and `last`, such as `status:error workflow:order "A-1042" last:1h`. The last word also finds words that begin with it',
  )

export const SearchResult = z
  .object({
    kind: z.enum(SEARCH_KINDS).describe('An execution of a workflow, or a run of an agent'),
    id: z.string(),
    subjectId: z.string().describe('Id of the workflow or the agent'),
    subjectName: z.string(),
    status: z.enum(SEARCH_STATUSES),
    createdAt: Instant,
    endedAt: Instant.nullable(),
    userId: z.string().nullable(),
    conversationId: z.string().nullable(),
    traceId: z.string(),
    parentId: z.string().nullable().describe('Execution or run that it is a part of'),
    trial: z.literal(true).optional().describe('Set for a trial of the prompt lab'),
    match: z
      .object({ field: z.enum(MATCH_FIELDS), text: z.string() })
      .nullable()
      .describe('Text around the words; null when they are in ids and names only'),
  })
  .meta({ id: 'SearchResult' })
export type SearchResult = z.infer<typeof SearchResult>

const SearchState = z.object({
  indexedUntil: Instant.describe(
    'Changes up to this time are found. Later than the newest change while the index is up to date',
  ),
})

export const searchEndpoints = endpoints({
  search: {
    method: 'GET',
    path: '/observability/search',
    group: 'observability',
    tag: 'Observability',
    summary:
      'Searches executions and agent runs by their ids, names, users, inputs, outputs, errors and log messages, newest first; the header X-Next-Cursor is the cursor of the next page',
    query: z.object({
      q: SearchText,
      limit: wholeNumber({ min: 1, max: SEARCH_PAGE.maxLimit })
        .optional()
        .describe(`Maximum number of results; default ${SEARCH_PAGE.defaultLimit}`),
      cursor: z
        .string()
        .regex(
          /^\d{1,16}(?:-\d{1,16})?$/,
          'Must be the value of the header X-Next-Cursor of the previous page',
        )
        .optional()
        .describe('Header X-Next-Cursor of the previous page'),
    }),
    lists: 'records',
    reply: { kind: 'data', schema: z.array(SearchResult), beside: SearchState },
    errors: [400],
  },
})
