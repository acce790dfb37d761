import type { CallOf, Client } from '../client/create-client.ts'
import type { Endpoints } from '../contract/index.ts'
import { connect } from './connect/connect.ts'
import { examples } from './command.ts'
import type { CliCommand } from './command.ts'
import { EXIT } from './exit-code.ts'
import { withWorkflowHints } from './error-hints.ts'
import type { Terminal } from './print/terminal.ts'

type StopRequest = CallOf<Endpoints['cancelExecution']>

export interface StopCommandOptions<Result> {
  /** Which executions it takes, as `running`. */
  readonly executions: string
  readonly example: string
  readonly stop: (client: Client, request: StopRequest) => Promise<Result>
  /** What became of the workflow's execution. */
  readonly outcome: (id: string, result: Result, terminal: Terminal) => string
}

/** A command that has an execution stop, and keeps why. */
export function stopCommand<Result>({
  executions,
  example,
  stop,
  outcome,
}: StopCommandOptions<Result>): CliCommand {
  return {
    define: (command) => {
      command
        .argument('<workflow>', 'id of the workflow')
        .argument('<executionId>', `id of the ${executions} execution`)
        .option('--reason <text>', 'why; kept with the execution')
        .addHelpText('after', examples(example))
    },
    run: async (call) => {
      const { args, options, terminal } = call
      const [id = '', executionId = ''] = args
      const body = { reason: options['reason'] as string | undefined }
      const { client } = await connect(call)
      const result = await withWorkflowHints(stop(client, { params: { id, executionId }, body }), client, id)
      if (terminal.json) terminal.printValue(result)
      else terminal.print(outcome(id, result, terminal))
      return EXIT.done
    },
  }
}
