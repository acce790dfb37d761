import { Cron } from 'croner'

/** How cron expressions are written, for error messages. */
const CRON_RULE = 'five or six fields such as "0 9 * * 1-5", or a name such as "@daily"'
const FIELDS = ['second', 'minute', 'hour', 'day of month', 'month', 'day of week']
const DAY_FIELDS = new Set([3, 5])

/**
 * A cron expression in a time zone. Of jobs at fixed times, those in an hour that summer time skips run once right after it,
 * and those in an hour that comes twice run in the first of both. With a `*` or a step in the seconds, minutes or hours, the
 * clock decides.
 */
export class CronExpression {
  readonly #cron: Cron

  /** @throws when `cronProblem` has found a problem. */
  constructor(expression: string, timezone: string) {
    this.#cron = cronOf(expression, timezone)
  }

  /** The first instant after `after`, in milliseconds since the epoch; `undefined` if there is none. */
  next(after: number): number | undefined {
    return this.#cron.nextRun(new Date(after))?.getTime()
  }
}

/** Why an expression is not valid; `undefined` when it is. */
export function cronProblem(expression: unknown): string | undefined {
  if (typeof expression !== 'string') return `cron must be ${CRON_RULE}`
  const text = expression.trim()
  const parts = text.split(/\s+/)
  if (!text.startsWith('@') && parts.length !== 5 && parts.length !== 6)
    return `cron "${expression}" is not valid: it must be ${CRON_RULE}`
  const fields = text.startsWith('@') ? [] : parts.length === 5 ? ['0', ...parts] : parts
  const faulty = fields.findIndex((field, at) => !isField(field, at))
  if (faulty !== -1)
    return `cron "${expression}" is not valid: the ${FIELDS[faulty]} "${fields[faulty]}" is not one`
  try {
    const next = cronOf(text, 'UTC').nextRun()
    return next ? undefined : `cron "${expression}" is not valid: there is no such day`
  } catch {
    // croner's text counts from zero in some fields
    return `cron "${expression}" is not valid: it must be ${CRON_RULE}`
  }
}

/** Whether a field is valid by itself. */
function isField(field: string, at: number): boolean {
  // croner allows it everywhere
  if (field.includes('?') && (field !== '?' || !DAY_FIELDS.has(at))) return false
  try {
    cronOf(FIELDS.map((_, index) => (index === at ? field : '*')).join(' '), 'UTC')
    return true
  } catch {
    // the caller reports it
    return false
  }
}

function cronOf(expression: string, timezone: string): Cron {
  return new Cron(expression, {
    timezone,
    paused: true,
    mode: '5-or-6-parts',
    fixedTimeRule: 'no-wildcard',
  })
}
