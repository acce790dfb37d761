import type { HourCounts } from '../usage-store.ts'

/** Columns of `hours` that count, with the names of the row's properties. */
export const HOUR_COLUMNS = [
  ['started', 'started'],
  ['completed', 'completed'],
  ['errors', 'errors'],
  ['cancelled', 'cancelled'],
  ['answers', 'answers'],
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['cost_nano', 'costNano'],
] as const satisfies readonly (readonly [column: string, key: keyof HourCounts])[]

/** Hours that the counts of an hour are kept after its executions expired. */
export const KEPT_HOURS = 48
