import type { ExecutionError, ExecutionResult } from '../../contract/event.ts'
import { escapeControls, escapeJson } from '../../lib/escape-controls.ts'
import { duration } from './duration.ts'
import { oneLine } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export interface OutcomeOptions {
  readonly workflowId: string
  readonly terminal: Terminal
  /** Where a console shows the execution. */
  readonly consoleLink: (executionId: string) => Promise<string | undefined>
}

/** Tells how an execution came to rest: the result to stdout, everything else beside it. */
export async function printOutcome(
  result: ExecutionResult,
  { workflowId, terminal, consoleLink }: OutcomeOptions,
): Promise<void> {
  if (terminal.json) return terminal.printValue(result)
  terminal.note(headline(workflowId, result, terminal))
  for (const line of details(workflowId, result, terminal)) terminal.note(`  ${line}`)
  const link = await consoleLink(result.executionId)
  if (link !== undefined) terminal.note(`  ${terminal.notePaint.dim(link)}`)
  if (result.status === 'completed') terminal.print(escapeJson(JSON.stringify(result.result, null, 2)))
}

function headline(
  workflowId: string,
  { status, startAt, endAt, executionId }: ExecutionResult,
  terminal: Terminal,
): string {
  const { notePaint: paint } = terminal
  const took = endAt === null ? '' : ` in ${duration(Date.parse(endAt) - Date.parse(startAt))}`
  const says = {
    completed: `${paint.green('✓')} ${workflowId} completed${took}`,
    suspended: `${paint.yellow('⏸')} ${workflowId} is suspended`,
    error: `${paint.red('✗')} ${workflowId} failed${took}`,
    cancelled: `${paint.yellow('✗')} ${workflowId} was cancelled${took}`,
    running: `${paint.cyan('…')} ${workflowId} runs`,
  }[status]
  return `${says} ${paint.dim(`(execution ${executionId})`)}`
}

function details(workflowId: string, result: ExecutionResult, terminal: Terminal): string[] {
  const { notePaint: paint } = terminal
  const { suspension, error, executionId } = result
  if (suspension) {
    const asked =
      suspension.data === undefined
        ? []
        : [`${paint.dim('data')}  ${escapeJson(JSON.stringify(suspension.data))}`]
    return [
      `${paint.dim('step')}  ${suspension.stepId}: ${oneLine(suspension.reason)}`,
      ...asked,
      paint.dim(`agentserver resume-workflow ${workflowId} ${executionId} --data '<json>'`),
    ]
  }
  if (!error) return []
  return [...errorLines(error, paint), paint.dim(`agentserver state ${executionId}`)]
}

/** What user code threw: message, step, and the project's own line that threw it. */
export function errorLines(error: ExecutionError, paint: Terminal['paint']): string[] {
  const place = placeIn(error.stack)
  const step = error.stepId === undefined ? '' : ` ${paint.dim(`in step "${error.stepId}"`)}`
  return [
    ...`${error.name}: ${escapeControls(error.message)}${step}`.split('\n'),
    ...(place === undefined ? [] : [`${paint.dim('at')} ${paint.cyan(place)}`]),
  ]
}

const FRAME = /^\s+at (?:.*? \()?(?:async )?(?!node:|internal\/)(.+?:\d+:\d+)\)?$/gm

/** The first frame of a stack that is in the project; recorded paths are relative to it. */
function placeIn(stack: string | undefined): string | undefined {
  const frames = [...(stack ?? '').matchAll(FRAME)].map(([, place = '']) => place)
  return frames.find((place) => !/node_modules|^\/|^[A-Za-z]:[\\/]/.test(place))
}
