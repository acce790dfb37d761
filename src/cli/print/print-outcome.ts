import { sampleValue } from '../../agent/sample/sample-value.ts'
import type { ApiClient } from '../../client/api.ts'
import { BREAKPOINT } from '../../contract/breakpoints/breakpoint.ts'
import type { ExecutionError, ExecutionResult, Misfit, Suspension } from '../../contract/event.ts'
import type { ExecutionDetail } from '../../contract/endpoints/execution.ts'
import { pageOfRunError } from '../../contract/explaining-page.ts'
import type { StepWait } from '../../contract/step-wait.ts'
import { escapeControls, escapeJson } from '../../lib/escape-controls.ts'
import type { ConsoleLink } from '../connect/connect.ts'
import { waysOut } from '../error-hints.ts'
import { docsLine } from './docs-line.ts'
import { duration } from './duration.ts'
import { shellQuote } from './shell-quote.ts'
import { oneLine } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export interface OutcomeOptions {
  readonly workflowId: string
  readonly terminal: Terminal
  readonly client: ApiClient
  readonly consoleLink: ConsoleLink
}

/** Prints the outcome of an execution: its result to stdout, everything else to stderr. */
export async function printOutcome(
  result: ExecutionResult,
  { workflowId, terminal, client, consoleLink }: OutcomeOptions,
): Promise<void> {
  if (terminal.json) return terminal.printValue(result)
  terminal.note(headline(workflowId, result, terminal))
  const error = result.error && (await withStack(result.error, result.executionId, client))
  const waits = result.suspension ? await waitsOf(result.executionId, client) : []
  const data = await exampleData(waits)
  const lines =
    waits.length > 1
      ? waitLines(waits, { workflowId, executionId: result.executionId, data }, terminal)
      : details(workflowId, { ...result, ...(error && { error }), data }, terminal)
  for (const line of lines) terminal.note(`  ${line}`)
  const link = await consoleLink(`executions/${encodeURIComponent(result.executionId)}`)
  if (link !== undefined) terminal.note(`  ${terminal.notePaint.dim(link)}`)
  if (result.status === 'completed') terminal.print(escapeJson(JSON.stringify(result.result, null, 2)))
}

/** The error with the stack of the record: streams of users have none. Without access to the record, as it is. */
async function withStack(
  error: ExecutionError,
  executionId: string,
  client: ApiClient,
): Promise<ExecutionError> {
  if (error.stack !== undefined) return error
  const record = await recordOf(executionId, client)
  return record?.error ?? error
}

/** What an execution waits for. Without access to its record, only its first wait is known. */
async function waitsOf(executionId: string, client: ApiClient): Promise<readonly StepWait[]> {
  const record = await recordOf(executionId, client)
  return record?.waits ?? []
}

/** The record of an execution; `undefined` without access to it. */
function recordOf(executionId: string, client: ApiClient): Promise<ExecutionDetail | undefined> {
  return client.observeExecution({ params: { executionId } }).catch(() => undefined)
}

interface ExecutionIds {
  readonly workflowId: string
  readonly executionId: string
  /** Example data of the resume, as JSON. */
  readonly data?: string | undefined
}

/** The wait that a command to continue names. */
function firstOf(waits: readonly StepWait[]): StepWait | undefined {
  return waits.find(({ event }) => event === undefined) ?? waits[0]
}

/** Data that fits the resume schema of what an execution waits for, to be edited: JSON text. */
export async function exampleData(waits: readonly StepWait[]): Promise<string | undefined> {
  const schema = firstOf(waits)?.resumeSchema
  return schema && JSON.stringify(await sampleValue(schema, ''))
}

/** What can be resumed of an execution that waits for several things, and how a resume names one. */
export function waitLines(waits: readonly StepWait[], execution: ExecutionIds, terminal: Terminal): string[] {
  const lines = waits.map(({ path, reason, event, key }) =>
    oneLine(`${path}: ${event === undefined ? reason : `event ${awaitedText(event, key)}`}`),
  )
  const first = firstOf(waits)
  return first ? [...lines, terminal.nextCommand(commandAfter(first, execution))] : lines
}

export function awaitedText(event: string, key: string | undefined): string {
  return key === undefined ? event : `${event}, key ${oneLine(key)}`
}

function headline(
  workflowId: string,
  { status, startAt, endAt, executionId }: ExecutionResult,
  terminal: Terminal,
): string {
  const { notePaint: paint } = terminal
  const elapsed = endAt === null ? '' : ` in ${duration(Date.parse(endAt) - Date.parse(startAt))}`
  const text = {
    completed: `${paint.green('✓')} ${workflowId} completed${elapsed}`,
    suspended: `${paint.yellow('⏸')} ${workflowId} is suspended`,
    error: `${paint.red('✗')} ${workflowId} failed${elapsed}`,
    cancelled: `${paint.yellow('✗')} ${workflowId} was cancelled${elapsed}`,
    running: `${paint.cyan('…')} ${workflowId} is running`,
  }[status]
  return `${text} ${paint.dim(`(execution ${executionId})`)}`
}

function details(
  workflowId: string,
  result: ExecutionResult & Pick<ExecutionIds, 'data'>,
  terminal: Terminal,
): string[] {
  const { notePaint: paint } = terminal
  const { suspension, error, executionId } = result
  if (suspension) {
    if (suspension.misfits)
      return [
        ...misfitLines(suspension.misfits),
        paint.dim(terminal.withCommands(waysOut({ id: workflowId, executionId }))),
      ]
    const isPaused = suspension.reason === BREAKPOINT
    const data =
      suspension.data === undefined
        ? []
        : [
            `${paint.dim(isPaused ? 'step data' : 'suspend data')}  ${escapeJson(JSON.stringify(suspension.data))}`,
          ]
    return [
      `${paint.dim('step')}  ${suspension.stepId}: ${oneLine(suspension.reason)}`,
      ...data,
      paint.dim(
        terminal.nextCommand(commandAfter(suspension, { workflowId, executionId, data: result.data })),
      ),
    ]
  }
  if (!error) return []
  return [
    ...errorLines(error, paint),
    paint.dim(terminal.nextCommand(`state ${executionId}`)),
    docsLine(pageOfRunError(error), paint),
  ]
}

/** The command with which a suspended execution continues. `path`: that of the step, when several wait. */
export function commandAfter(
  {
    reason,
    event,
    key,
    path,
  }: Pick<Suspension, 'reason' | 'event' | 'key'> & Partial<Pick<StepWait, 'path'>>,
  { workflowId, executionId, data }: ExecutionIds,
): string {
  if (event !== undefined)
    return [
      'send-event',
      ...[event, ...(key === undefined ? [] : [key])].map(shellQuote),
      "--data '<json>'",
    ].join(' ')
  const step = path === undefined ? '' : ` --step ${path}`
  return `resume-workflow ${workflowId} ${executionId}${step}${reason === BREAKPOINT ? '' : ` --data ${data === undefined ? `'<json>'` : shellQuote(data)}`}`
}

/** Where a record does not fit the changed code. */
export function misfitLines(misfits: readonly Misfit[]): string[] {
  return misfits.map(({ stepId, reason }) => oneLine(`step "${stepId}": ${reason}`))
}

/** Formats an execution's error: name, message, step, and the position in the project's code. */
export function errorLines(error: ExecutionError, paint: Terminal['paint']): string[] {
  const position = positionIn(error.stack)
  const step = error.stepId === undefined ? '' : ` ${paint.dim(`in step "${error.stepId}"`)}`
  return [
    ...`${error.name}: ${escapeControls(error.message)}${step}`.split('\n'),
    ...(position === undefined ? [] : [`${paint.dim('at')} ${paint.cyan(position)}`]),
  ]
}

const FRAME = /^\s+at (?:.*? \()?(?:async )?(?!node:|internal\/)(.+?:\d+:\d+)\)?$/gm

/**
 * The first position in the project of a stack and, if it is in another file, that of the step that led to it. Recorded
 * paths are relative to the project.
 */
function positionIn(stack: string | undefined): string | undefined {
  const frames = [...(stack ?? '').matchAll(FRAME)].map(([, place = '']) => place)
  const own = frames.filter((place) => !/node_modules|^agentserver\/|^\/|^[A-Za-z]:[\\/]/.test(place))
  const [thrownAt, step] = [own[0], own.at(-1)]
  if (thrownAt === undefined || step === undefined || fileOf(step) === fileOf(thrownAt)) return thrownAt
  return `${thrownAt}, called at ${step}`
}

function fileOf(place: string): string {
  return place.replace(/:\d+:\d+$/, '')
}
