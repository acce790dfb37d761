import { BREAKPOINT } from '../../contract/breakpoints/breakpoint.ts'
import type { ExecutionDetail, StepRecord } from '../../contract/endpoints/execution.ts'
import { byWhom } from '../../contract/access/decision.ts'
import type { AcceptedChanges } from '../../contract/event.ts'
import { statusWord } from '../../contract/status/status-word.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { waysOut, withWorkflowHints } from '../error-hints.ts'
import { duration } from '../print/duration.ts'
import { CAUSES } from '../print/event-line.ts'
import { awaitedText, errorLines, misfitLines, waitLines } from '../print/print-outcome.ts'
import { table } from '../print/table.ts'
import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'

const LABEL_WIDTH = 12
/** What an execution waits for, by its reason. */
const WAITS_FOR = {
  concurrency: 'the concurrency limit',
  rate: 'the rate limit',
  suspected: 'its trial: it was running at a crash of the process',
} as const

/** The statuses whose words are shown. */
const COMPENSATIONS = { completed: 'completed', failed: 'error' } as const

export const state: CliCommand = {
  define: (command) => {
    command
      .argument('<executionId>', 'id of the execution')
      .addHelpText('after', examples('state order-A-1', 'state order-A-1 --json'))
  },
  run: async (call) => {
    const [executionId = ''] = call.args
    const { terminal } = call
    const { client } = await connect(call, { readOnly: true })
    const detail = await withWorkflowHints(client.observeExecution({ params: { executionId } }), client, '')
    if (terminal.json) {
      const params = { id: detail.workflowId, executionId }
      terminal.printValue(await client.getExecutionState({ params }))
    } else terminal.print(describe(detail, terminal))
    return EXIT.done
  },
}

function describe(detail: ExecutionDetail, terminal: Terminal): string {
  const { paint } = terminal
  const rows = overview(detail, terminal).map(
    ([name = '', value = '']) => `${paint.dim(name.padEnd(LABEL_WIDTH))} ${value}`,
  )
  const steps = detail.steps.map(({ path, status, attempts, durationMs, progress }) => [
    path,
    progress ? `${statusWord(status)}, ${progressText(progress)}` : statusWord(status),
    String(attempts),
    durationMs === null ? '' : duration(durationMs),
  ])
  const hooks = (detail.hooks ?? []).map(({ hook, status, attempts, durationMs }) => [
    hook,
    statusWord(status),
    String(attempts),
    durationMs === null ? '' : duration(durationMs),
  ])
  const below = [
    ...(steps.length === 0 ? [] : ['', table(['STEP', 'STATUS', 'ATTEMPTS', 'DURATION'], steps, terminal)]),
    ...(hooks.length === 0 ? [] : ['', table(['HOOK', 'STATUS', 'ATTEMPTS', 'DURATION'], hooks, terminal)]),
  ]
  return [...rows, ...below].join('\n')
}

function progressText({ done, total }: NonNullable<StepRecord['progress']>): string {
  return total === undefined ? `${done} rounds` : `${done} of ${total}`
}

function overview(detail: ExecutionDetail, terminal: Terminal): string[][] {
  const { id, workflowId, status, createdAt, endedAt, input, output, suspension, pauseAt, waiting, error } =
    detail
  const { compensating, compensation, acceptedChanges, timesOutAt, waits = [] } = detail
  const elapsed =
    endedAt === undefined ? '' : `, duration ${duration(Date.parse(endedAt) - Date.parse(createdAt))}`
  return [
    ['execution', id],
    ['workflow', workflowId],
    ['status', statusText(status, terminal)],
    ['created', `${createdAt}${elapsed}`],
    ['input', oneLine(JSON.stringify(input))],
    ...(output === undefined ? [] : [['output', oneLine(JSON.stringify(output))]]),
    ...(suspension ? [['suspended', `at step "${suspension.stepId}": ${oneLine(suspension.reason)}`]] : []),
    ...(suspension?.misfits
      ? [
          ['misfits', aligned(misfitLines(suspension.misfits))],
          ['ways out', terminal.withCommands(waysOut({ id: workflowId, executionId: id }))],
        ]
      : []),
    ...(timesOutAt !== undefined && endedAt === undefined ? [['times out', timesOutAt]] : []),
    ...(acceptedChanges ? [['changes', acceptedText(acceptedChanges)]] : []),
    ...(pauseAt ? [['breakpoints', pauseAt.join(', ')]] : []),
    ...(compensating ? [['compensating', `because of ${CAUSES[compensating.reason]}`]] : []),
    ...(compensation ? [['compensation', statusWord(COMPENSATIONS[compensation])]] : []),
    ...(waiting
      ? [['waiting', `for ${WAITS_FOR[waiting.reason]}${placeText(waiting)}, since ${waiting.since}`]]
      : []),
    ...(suspension?.event === undefined ? [] : [['event', awaitedText(suspension.event, suspension.key)]]),
    ...(suspension?.wakeAt === undefined ? [] : [['continues', suspension.wakeAt]]),
    ...(suspension?.data === undefined
      ? []
      : [
          [
            suspension.reason === BREAKPOINT ? 'step data' : 'suspend data',
            oneLine(JSON.stringify(suspension.data)),
          ],
        ]),
    ...(waits.length > 1
      ? [['waits', aligned(waitLines(waits, { workflowId, executionId: id }, terminal))]]
      : []),
    ...(error ? [['error', aligned(errorLines(error, terminal.paint))]] : []),
  ]
}

/** Lines below each other, beside their label. */
function aligned(lines: readonly string[]): string {
  return lines.join(`\n${' '.repeat(LABEL_WIDTH + 1)}`)
}

function acceptedText({ at, by, as, over }: AcceptedChanges): string {
  return `accepted at ${at}${byWhom(by, as, over)}`
}

function statusText(status: ExecutionDetail['status'], { paint }: Terminal): string {
  const word = statusWord(status)
  if (status === 'completed') return paint.green(word)
  if (status === 'error') return paint.red(word)
  return status === 'running' ? paint.cyan(word) : paint.yellow(word)
}

function placeText({ position }: NonNullable<ExecutionDetail['waiting']>): string {
  return position === undefined ? '' : `, position ${position}`
}
