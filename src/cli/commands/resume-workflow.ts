import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/create-client.ts'
import { connect } from '../connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { exitCodeOf } from '../exit-code.ts'
import { explained } from '../explain.ts'
import { followRun, interruptNote, newestEvent } from '../follow-run.ts'
import { readJsonArgument } from '../json-argument.ts'
import { printOutcome } from '../print/outcome.ts'

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
    const { client, url } = await connect(call)
    const params = { id, executionId }
    const after = await explained(newestEvent(client, params), client, id)
    lifetime.whenInterrupted(interruptNote(executionId, { url, terminal }))
    const refused = explained(refusal(client, { params, resumeData }), client, id)
    const givenUp = Promise.race([refused, lifetime.ended])
    const events = client.followExecution({ params, query: { after } })
    const result = await followRun(events, { name: id, terminal, givenUp })
    printOutcome(id, result, terminal)
    return exitCodeOf(result.status)
  },
}

/**
 * Resumes the execution, and rejects where that is refused. How an accepted one ends is told by its events: a
 * request may not live as long.
 */
async function refusal(
  client: Client,
  { params, resumeData }: { params: { id: string; executionId: string }; resumeData: unknown },
): Promise<never> {
  try {
    await client.resumeExecution({ params, body: { resumeData } })
  } catch (error) {
    if (error instanceof ApiError && error.status !== 500) throw error
  }
  return new Promise(() => undefined)
}
