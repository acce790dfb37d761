import { requireObject } from '../../lib/require-object.ts'
import { DURATION_RULE, parseDuration } from '../../lib/duration.ts'
import { declaredHere } from '../../lib/declared-at.ts'
import { asProblems } from '../../lib/found-problem.ts'
import { unknownOptions } from '../../lib/unknown-option.ts'
import { ID_RULE, isId } from '../../lib/ids.ts'
import { isWorkflow } from '../rules.ts'
import { CronExpression, cronProblem } from './cron.ts'
import { everyInstants } from './instants.ts'
import type { Instants } from './instants.ts'
import type { Schedule, ScheduleConfig, ScheduledInstant } from './schedule.ts'

/** The execution id adds an instant. */
const MAX_ID_LENGTH = 80
const MIN_EVERY_MS = 1000

const OPTIONS = {
  id: true,
  cron: true,
  every: true,
  timezone: true,
  workflow: true,
  input: true,
  overlap: true,
  catchUp: true,
  paused: true,
} satisfies Record<keyof ScheduleConfig, true>

const NEVER: Instants = { next: () => undefined }

/**
 * Declares a schedule: executions of a workflow that start at times. List it in the option `schedules`. The id of an execution
 * is `<schedule id>:<instant>`, such as `report:2026-11-23T09:00:00.000Z`, so each instant has one execution, however many
 * servers there are. Problems of the declaration are not thrown, but reported when the configuration is loaded.
 *
 * @example
 * const report = createSchedule({
 *   id: 'report',
 *   cron: '0 9 * * 1-5',
 *   timezone: 'Europe/Berlin',
 *   workflow: sendReport,
 *   input: ({ scheduledAt }) => ({ day: scheduledAt.toISOString().slice(0, 10) }),
 * })
 */
export function createSchedule<Input>(config: ScheduleConfig<Input>): Schedule {
  requireObject('createSchedule', 'config', config)
  const { id, cron, every, timezone = 'UTC', workflow, input = {} } = config
  const { overlap = 'skip', catchUp = 'last', paused = false } = config
  const problems = scheduleProblems({ ...config })
  const isValid = problems.length === 0
  const schedule: Schedule = {
    id,
    ...(cron === undefined ? {} : { cron }),
    ...(every === undefined ? {} : { every }),
    timezone,
    workflow,
    overlap,
    catchUp,
    paused,
    choosesInput: typeof input === 'function',
    inputAt: async (instant: ScheduledInstant) =>
      typeof input === 'function' ? (input as (at: ScheduledInstant) => unknown)(instant) : input,
    rule: cron === undefined ? `every ${parseDuration(every)}` : `cron ${cron} ${timezone}`,
    instants: isValid ? instantsOf({ cron, every, timezone }) : NEVER,
    problems: Object.freeze(problems),
  }
  return Object.freeze(declaredHere(schedule, createSchedule, asProblems(problems)))
}

/** Whether `value` was created by `createSchedule()` of this or another copy of the package. */
export function isSchedule(value: unknown): value is Schedule {
  return typeof value === 'object' && value !== null && 'instants' in value && 'problems' in value
}

function instantsOf({
  cron,
  every,
  timezone,
}: Pick<ScheduleConfig, 'cron' | 'every'> & { readonly timezone: string }): Instants {
  return cron === undefined ? everyInstants(parseDuration(every) ?? 0) : new CronExpression(cron, timezone)
}

function scheduleProblems(config: Readonly<Record<string, unknown>>): string[] {
  const { id, cron, every, timezone, workflow, overlap, catchUp, paused } = config
  const hasCron = cron !== undefined
  const hasEvery = every !== undefined
  return [
    ...unknownOptions(config, OPTIONS),
    typeof id === 'string' && isId(id) && id.length <= MAX_ID_LENGTH
      ? undefined
      : `the id must be ${ID_RULE.replace('128', String(MAX_ID_LENGTH))}`,
    hasCron && hasEvery ? 'it must have cron or every, not both' : undefined,
    !hasCron && !hasEvery ? 'it must have cron or every' : undefined,
    hasCron ? cronProblem(cron) : undefined,
    hasEvery ? everyProblem(every) : undefined,
    timezone === undefined ? undefined : timezoneProblem(timezone),
    isWorkflow(workflow) ? undefined : 'workflow must be made by createWorkflow()',
    choiceProblem('overlap', overlap, ['skip', 'queue', 'allow']),
    choiceProblem('catchUp', catchUp, ['none', 'last', 'all']),
    paused === undefined || typeof paused === 'boolean' ? undefined : 'paused must be true or false',
  ].filter((problem) => problem !== undefined)
}

function everyProblem(every: unknown): string | undefined {
  const ms = parseDuration(every)
  if (ms === undefined) return `every must be ${DURATION_RULE}`
  return ms < MIN_EVERY_MS ? 'every must be at least one second' : undefined
}

function timezoneProblem(timezone: unknown): string | undefined {
  const problem = `timezone ${JSON.stringify(timezone)} is unknown: it must be a name of the IANA time zone database, such as "Europe/Berlin"`
  if (typeof timezone !== 'string') return problem
  try {
    Intl.DateTimeFormat('en-US', { timeZone: timezone })
    return undefined
  } catch {
    // a RangeError
    return problem
  }
}

function choiceProblem(name: string, value: unknown, choices: readonly string[]): string | undefined {
  if (value === undefined || choices.includes(value as string)) return undefined
  return `${name} must be ${choices.map((choice) => `"${choice}"`).join(', ')}`
}
