import type { CallOf } from '../client/call.ts'
import type { ApiClient } from '../client/api.ts'
import type { Endpoints } from '../contract/index.ts'
import { connect } from './connect/connect.ts'
import { examples } from './command.ts'
import type { CliCommand } from './command.ts'
import { EXIT } from './exit-code.ts'
import { withWorkflowHints } from './error-hints.ts'
import type { Terminal } from './print/terminal.ts'

type StopRequest = CallOf<Endpoints['cancelExecution']>

export interface StopCommandOptions<Result> {
  /** The status that an execution must have, such as `running`. */
  readonly requiredStatus: string
  readonly example: string
  readonly stop: (client: ApiClient, request: StopRequest) => Promise<Result>
  /** What the options add to the body of the request. */
  readonly bodyOf?: (options: Readonly<Record<string, unknown>>) => StopRequest['body']
  /** The line to print. */
  readonly outcome: (id: string, result: Result, terminal: Terminal) => string
}

/** Creates a command that suspends or cancels an execution, with an optional reason. */
export function stopCommand<Result>({
  requiredStatus,
  example,
  stop,
  bodyOf = () => ({}),
  outcome,
}: StopCommandOptions<Result>): CliCommand {
  return {
    define: (command) => {
      command
        .argument('<workflow>', 'id of the workflow')
        .argument('<executionId>', `id of a ${requiredStatus} execution`)
        .option('--reason <text>', 'reason, stored with the execution')
        .addHelpText('after', examples(example))
    },
    run: async (call) => {
      const { args, options, terminal } = call
      const [id = '', executionId = ''] = args
      const body = { reason: options['reason'] as string | undefined, ...bodyOf(options) }
      const { client } = await connect(call)
      const result = await withWorkflowHints(stop(client, { params: { id, executionId }, body }), client, id)
      if (terminal.json) terminal.printValue(result)
      else terminal.print(outcome(id, result, terminal))
      return EXIT.done
    },
  }
}
