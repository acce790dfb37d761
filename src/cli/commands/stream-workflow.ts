import type { ExecutionEvent, ExecutionResult } from '../../contract/event.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { executeBody, executionOptions, withExample } from '../options/execution-options.ts'
import type { Lifetime } from '../lifetime.ts'
import { exitCodeOf, RUN_EXIT_CODES } from '../exit-code.ts'
import { withWorkflowHints } from '../error-hints.ts'
import {
  connectionLost,
  executionResult,
  interruptNote,
  placeOf,
  withConnectionErrors,
} from '../follow-run.ts'
import { eventLine } from '../print/event-line.ts'
import { printOutcome } from '../print/print-outcome.ts'
import type { OutcomeOptions } from '../print/print-outcome.ts'

export const streamWorkflow: CliCommand = {
  define: (command) => {
    executionOptions(command)
      .addHelpText('after', `\n${RUN_EXIT_CODES}`)
      .addHelpText(
        'after',
        examples(
          `stream-workflow order --input '{"orderId":"A-1","amount":40}'`,
          'stream-workflow order --input @order.json --json | jq -r .type',
        ),
      )
  },
  run: async (call) => {
    const [id = ''] = call.args
    const given = await executeBody(call)
    const { client, url, consoleLink } = await connect(call)
    const body = await withExample(given, call, client)
    call.lifetime.waitsFor = `Workflow "${id}"`
    const events = client.streamWorkflow({ params: { id }, body })
    const first = await withWorkflowHints(events.next(), client, id)
    if (first.done === true) throw connectionLost()
    call.lifetime.onInterrupt(interruptNote(first.value.executionId, { url, terminal: call.terminal }))
    const outcome = { workflowId: id, terminal: call.terminal, client, consoleLink }
    const result = await printEvents(first.value, withConnectionErrors(events), {
      outcome,
      lifetime: call.lifetime,
    })
    return exitCodeOf(result.status)
  },
}

async function printEvents(
  first: ExecutionEvent,
  rest: AsyncIterable<ExecutionEvent>,
  { outcome, lifetime }: { outcome: OutcomeOptions; lifetime: Lifetime },
): Promise<ExecutionResult> {
  const { terminal, workflowId } = outcome
  const show = (event: ExecutionEvent) => {
    if (event.type === 'step-start') lifetime.waitsFor = placeOf(workflowId, event)
    if (terminal.json) terminal.printLine(event)
    else if (event.type !== 'workflow-result' && event.type !== 'agent-delta')
      terminal.print(eventLine(event, terminal))
  }
  show(first)
  for await (const event of rest) {
    show(event)
    if (event.type !== 'workflow-result') continue
    const result = executionResult(event)
    if (!terminal.json) await printOutcome(result, outcome)
    return result
  }
  throw connectionLost()
}
