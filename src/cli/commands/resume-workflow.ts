import { ApiError } from '../../client/api-error.ts'
import type { CallOf } from '../../client/call.ts'
import type { ApiClient } from '../../client/api.ts'
import type { Endpoints } from '../../contract/index.ts'
import type { ExecutionResult } from '../../contract/event.ts'
import { AppError } from '../../lib/errors.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { exitCodeOf, RUN_EXIT_CODES } from '../exit-code.ts'
import { withMisfitHint, withWorkflowHints } from '../error-hints.ts'
import { followRun, interruptNote, newestEventId } from '../follow-run.ts'
import { readJsonArgument } from '../options/json-argument.ts'
import { pauseAtOption, readPauseAt } from '../options/execution-options.ts'
import { printOutcome } from '../print/print-outcome.ts'

interface ResumeRequest {
  readonly params: { readonly id: string; readonly executionId: string }
  readonly body: NonNullable<CallOf<Endpoints['resumeExecution']>['body']>
}

export const resumeWorkflow: CliCommand = {
  define: (command) => {
    pauseAtOption(command)
      .argument('<workflow>', 'id of the workflow')
      .argument('<executionId>', 'id of the suspended execution')
      .option('--data <json>', 'resume data for the suspended step: JSON, @file, or - for stdin')
      .option(
        '--step <id>',
        'id of the suspended step; of several branches at breakpoints, the one to continue',
      )
      .option(
        '--step-data <json>',
        'at a breakpoint, data for the step instead of the result before it: JSON, @file, or - for stdin',
      )
      .option('--accept-changes', 'run the code as it is, also where the record does not fit it')
      .addHelpText('after', `\n${RUN_EXIT_CODES}`)
      .addHelpText(
        'after',
        examples(
          `resume-workflow order order-A-1 --data '{"ok":true}'`,
          `resume-workflow order order-A-1 --data @answer.json --pause-at '*'`,
          `resume-workflow order order-A-1 --step-data '{"amount":40}' --pause-at '*'`,
          'resume-workflow order order-A-1 --accept-changes',
        ),
      )
  },
  run: async (call) => {
    const { args, options, terminal, lifetime } = call
    const [id = '', executionId = ''] = args
    const readJson = async (name: 'data' | 'stepData', option: string) => {
      const value = options[name] as string | undefined
      return value === undefined ? undefined : readJsonArgument({ option, value, terminal })
    }
    const body = {
      resumeData: await readJson('data', '--data'),
      options: {
        stepId: options['step'] as string | undefined,
        data: await readJson('stepData', '--step-data'),
        pauseAt: readPauseAt(options),
        acceptChanges: options['acceptChanges'] === true ? true : undefined,
      },
    }
    const { client, url, consoleLink } = await connect(call)
    lifetime.waitsFor = `Workflow "${id}"`
    const params = { id, executionId }
    const after = await withWorkflowHints(newestEventId(client, params), client, id)
    lifetime.onInterrupt(interruptNote(executionId, { url, terminal }))
    const resuming = withMisfitHint(resume(client, { params, body }), params)
    const response = withWorkflowHints(resuming, client, id)
    const events = client.followExecution({ params, query: { after, include: 'contract' } })
    const followed = followRun(events, { name: id, terminal, lifetime, aborted: rejectionOf(response) })
    const result = await followed.catch(async (error: unknown) => {
      const responded = await response
      if (responded === undefined) throw error
      return responded
    })
    await printOutcome(result, { workflowId: id, terminal, client, consoleLink })
    return exitCodeOf(result.status)
  },
}

/**
 * Resumes the execution. Rejects if the server rejects the request. Returns undefined for a failed execution and a
 * lost connection: the execution's events then show how it ended, with more detail.
 */
async function resume(client: ApiClient, call: ResumeRequest): Promise<ExecutionResult | undefined> {
  try {
    return await client.resumeExecution(call)
  } catch (error) {
    const failed = error instanceof ApiError && error.executionId !== undefined
    const disconnected = error instanceof AppError && error.code === 'unreachable'
    if (failed || disconnected) return undefined
    throw error
  }
}

/** Rejects when `response` does, and never resolves. */
async function rejectionOf(response: Promise<unknown>): Promise<never> {
  await response
  return new Promise(() => undefined)
}
