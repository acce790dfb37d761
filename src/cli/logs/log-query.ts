import type { LogLevel, LogQuery } from '../../contract/endpoints/log.ts'
import { toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { CommandCall } from '../command.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Builds the query from the options of `logs`.
 *
 * @throws AppError `invalid_input` for an invalid time.
 */
export function logQuery(options: CommandCall['options'], now: number): LogQuery {
  const values = options as Readonly<Record<string, string | undefined>>
  const { level, execution, trace, workflow, agent, since, until, search, limit } = values
  return {
    level: level as LogLevel | undefined,
    executionId: execution,
    traceId: trace,
    workflowId: workflow,
    agentId: agent,
    since: timeOf('--since', since, now),
    until: timeOf('--until', until, now),
    q: search,
    limit,
  }
}

/** Parses an ISO 8601 time, or a duration before `now`. */
function timeOf(option: string, text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (amount !== undefined) return toIso(now - Number(amount) * (UNITS[unit] ?? 0))
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return toIso(Date.parse(text))
  throw new AppError('invalid_input', `${option}: "${text}" is not a valid time or duration`, {
    hint: `Examples: ${option} 10m, ${option} 2h, ${option} 2026-01-31T08:00:00Z`,
  })
}
