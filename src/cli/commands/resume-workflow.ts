import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/create-client.ts'
import type { ExecutionResult } from '../../contract/event.ts'
import { AppError } from '../../lib/errors.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { exitCodeOf } from '../exit-code.ts'
import { withWorkflowHints } from '../error-hints.ts'
import { followRun, interruptNote, newestEvent } from '../follow-run.ts'
import { readJsonArgument } from '../options/json-argument.ts'
import { printOutcome } from '../print/outcome.ts'

interface ResumeRequest {
  readonly params: { readonly id: string; readonly executionId: string }
  readonly resumeData: unknown
}

export const resumeWorkflow: CliCommand = {
  define: (command) => {
    command
      .argument('<workflow>', 'id of the workflow')
      .argument('<executionId>', 'id of the suspended execution')
      .option('--data <json>', 'what the suspended step asked for, as JSON, @file, or - for stdin')
      .addHelpText(
        'after',
        examples(
          `resume-workflow order 0190c2f0-… --data '{"ok":true}'`,
          'resume-workflow order 0190c2f0-… --data @answer.json',
        ),
      )
  },
  run: async (call) => {
    const { args, options, terminal, lifetime } = call
    const [id = '', executionId = ''] = args
    const given = options['data'] as string | undefined
    const resumeData =
      given === undefined ? undefined : await readJsonArgument({ option: '--data', given, terminal })
    const { client, url, consoleLink } = await connect(call)
    const params = { id, executionId }
    const after = await withWorkflowHints(newestEvent(client, params), client, id)
    lifetime.whenInterrupted(interruptNote(executionId, { url, terminal }))
    const answer = withWorkflowHints(resume(client, { params, resumeData }), client, id)
    const givenUp = Promise.race([refusalOf(answer), lifetime.ended])
    const events = client.followExecution({ params, query: { after } })
    const followed = followRun(events, { name: id, terminal, givenUp })
    const result = await followed.catch(async (error: unknown) => {
      const answered = await answer
      if (answered === undefined) throw error
      return answered
    })
    await printOutcome(result, { workflowId: id, terminal, consoleLink })
    return exitCodeOf(result.status)
  },
}

/**
 * Resumes the execution, and rejects where that is refused. Without an answer its events tell how it ended: a
 * failure is told better there, and a request may not live as long as the execution.
 */
async function resume(
  client: Client,
  { params, resumeData }: ResumeRequest,
): Promise<ExecutionResult | undefined> {
  try {
    return await client.resumeExecution({ params, body: { resumeData } })
  } catch (error) {
    const failed = error instanceof ApiError && error.executionId !== undefined
    const unanswered = error instanceof AppError && error.code === 'unreachable'
    if (failed || unanswered) return undefined
    throw error
  }
}

/** Rejects with the answer, and does nothing else. */
async function refusalOf(answer: Promise<unknown>): Promise<never> {
  await answer
  return new Promise(() => undefined)
}
