import type { LogLevel, LogQuery } from '../../contract/endpoints/log.ts'
import { toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { CommandCall } from '../command.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * What the options of `logs` ask for.
 *
 * @throws AppError `invalid_input` for a time that is none.
 */
export function logQuery(options: CommandCall['options'], now: number): LogQuery {
  const given = options as Readonly<Record<string, string | undefined>>
  const { execution, trace, workflow, agent, search, limit } = given
  return {
    level: options['level'] as LogLevel | undefined,
    executionId: execution,
    traceId: trace,
    workflowId: workflow,
    agentId: agent,
    since: instant('--since', given['since'], now),
    until: instant('--until', given['until'], now),
    q: search,
    limit,
  }
}

function instant(option: string, text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined
  const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (amount !== undefined) return toIso(now - Number(amount) * (UNITS[unit] ?? 0))
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return toIso(Date.parse(text))
  throw new AppError('invalid_input', `${option}: "${text}" is neither an instant nor a span of time`, {
    hint: `Examples: ${option} 10m, ${option} 2h, ${option} 2026-01-31T08:00:00Z`,
  })
}
