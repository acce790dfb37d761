import type { RunRecordDeps } from './run-record-deps.ts'

/** A value of a run as JSON text; `null` for none, or for one that is too large to be stored. */
export function runText(
  value: unknown,
  { name, runId }: { readonly name: string; readonly runId: string },
  { limit, logger }: Pick<RunRecordDeps, 'limit' | 'logger'>,
): string | null {
  if (value === undefined) return null
  const text = JSON.stringify(value)
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text
  logger.warn({ runId }, `The ${name} of an agent run is too large to be stored`)
  return null
}
