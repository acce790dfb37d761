import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { exitCodeOf, RUN_EXIT_CODES } from '../exit-code.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import type { ApiError } from '../../client/api-error.ts'
import type { ApiClient } from '../../client/api.ts'
import { withHints, withWorkflowHints } from '../error-hints.ts'
import { followRun, interruptNote } from '../follow-run.ts'
import { readJsonArgument } from '../options/json-argument.ts'
import { pauseAtOption, readPauseAt } from '../options/execution-options.ts'
import { printOutcome } from '../print/print-outcome.ts'

export const replayWorkflow: CliCommand = {
  define: (command) => {
    pauseAtOption(command)
      .argument('<workflow>', 'id of the workflow')
      .argument('<executionId>', 'id of the execution to replay')
      .requiredOption('--step <id>', 'id of the step to start from; the results before it are copied')
      .option(
        '--input <json>',
        'input for that step: JSON, @file, or - for stdin (default: the recorded one)',
      )
      .addHelpText(
        'after',
        `\nA replay is a new execution; the replayed one is not changed.\n\n${RUN_EXIT_CODES}`,
      )
      .addHelpText(
        'after',
        examples(
          'replay-workflow order order-A-1 --step charge',
          `replay-workflow order order-A-1 --step charge --input '{"amount":40}'`,
        ),
      )
  },
  run: async (call) => {
    const [id = '', executionId = ''] = call.args
    const { terminal, lifetime } = call
    const body = {
      stepId: call.options['step'] as string,
      input: await readInput(call),
      options: { pauseAt: readPauseAt(call.options) },
    }
    const { client, url, consoleLink } = await connect(call)
    lifetime.waitsFor = `Workflow "${id}"`
    const params = { id, executionId }
    const started = client.replayExecution({ params, headers: { prefer: 'respond-async' }, body })
    const hinted = withHints(started, (error) => stepHint(error, client, { params, stepId: body.stepId }))
    const replay = { id, executionId: (await withWorkflowHints(hinted, client, id)).executionId }
    lifetime.onInterrupt(interruptNote(replay.executionId, { url, terminal }))
    const events = client.followExecution({ params: replay, query: { after: '0', include: 'contract' } })
    const result = await followRun(events, { name: id, terminal, lifetime })
    await printOutcome(result, { workflowId: id, terminal, client, consoleLink })
    return exitCodeOf(result.status)
  },
}

async function readInput({ options, terminal }: CommandCall): Promise<unknown> {
  const value = options['input'] as string | undefined
  return value === undefined ? undefined : readJsonArgument({ option: '--input', value, terminal })
}

/** The hint for a step that the workflow does not have, or that the execution did not reach. */
async function stepHint(
  { status, message }: ApiError,
  client: ApiClient,
  { params, stepId }: { params: { id: string; executionId: string }; stepId: string },
): Promise<string | undefined> {
  if (status !== 400 || !/\bstep\b/i.test(message)) return undefined
  const { steps } = await client.getExecution({ params })
  const ids = [...new Set(steps.map((step) => step.stepId))]
  const similar = didYouMean(
    stepId,
    ids.filter((id) => id !== stepId),
  )
  return similar === undefined ? `Steps of the execution: ${ids.join(', ')}` : `Did you mean "${similar}"?`
}
