import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { executeBody, executionOptions, withExample } from '../options/execution-options.ts'
import { exitCodeOf, RUN_EXIT_CODES } from '../exit-code.ts'
import { withWorkflowHints } from '../error-hints.ts'
import { followRun, interruptNote } from '../follow-run.ts'
import { printOutcome } from '../print/print-outcome.ts'

export const runWorkflow: CliCommand = {
  define: (command) => {
    executionOptions(command)
      .addHelpText('after', `\n${RUN_EXIT_CODES}`)
      .addHelpText(
        'after',
        examples(
          `run-workflow order --input '{"orderId":"A-1","amount":40}'`,
          'run-workflow order --example',
          'run-workflow order --execution-id order-A-1 --input @order.json --user u-7',
          'run-workflow order --input - --json < order.json',
        ),
      )
  },
  run: async (call) => {
    const [id = ''] = call.args
    const { terminal, lifetime } = call
    const given = await executeBody(call)
    const { client, url, consoleLink } = await connect(call)
    const body = await withExample(given, call, client)
    lifetime.waitsFor = `Workflow "${id}"`
    const started = client.executeWorkflow({ params: { id }, headers: { prefer: 'respond-async' }, body })
    const { executionId } = await withWorkflowHints(started, client, id)
    lifetime.onInterrupt(interruptNote(executionId, { url, terminal }))
    const events = client.followExecution({
      params: { id, executionId },
      query: { after: '0', include: 'contract' },
    })
    const result = await followRun(events, { name: id, terminal, lifetime })
    await printOutcome(result, { workflowId: id, terminal, client, consoleLink })
    return exitCodeOf(result.status)
  },
}
