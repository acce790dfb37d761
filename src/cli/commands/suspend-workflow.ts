import { connect } from '../connect.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { explained } from '../explain.ts'

export const suspendWorkflow: CliCommand = {
  define: (command) => {
    command
      .argument('<workflow>', 'id of the workflow')
      .argument('<executionId>', 'id of the running execution')
      .option('--reason <text>', 'why; kept with the execution')
      .addHelpText('after', examples('suspend-workflow order 0190c2f0-… --reason "stock is counted"'))
  },
  run: async (call) => {
    const { args, options, terminal } = call
    const [id = '', executionId = ''] = args
    const { client } = await connect(call)
    const body = { reason: options['reason'] as string | undefined }
    const answer = client.suspendExecution({ params: { id, executionId }, body })
    const result = await explained(answer, client, id)
    if (terminal.json) terminal.printValue(result)
    else if (result.status === 'suspended') terminal.print(`${terminal.paint.yellow('⏸')} ${id} is suspended`)
    else terminal.print(`${terminal.paint.cyan('…')} ${id} still runs a step and suspends after it`)
    return EXIT.done
  },
}
