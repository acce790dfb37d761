import type { ApiClient } from '../../client/api.ts'
import type { TraceDetail } from '../../contract/endpoints/trace.ts'
import { AppError } from '../../lib/errors.ts'
import { connect } from '../connect/connect.ts'
import { orMissing } from '../connect/or-missing.ts'
import { examples } from '../command.ts'
import type { CliCommand } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import { waterfall } from '../print/waterfall.ts'

export const trace: CliCommand = {
  define: (command) => {
    command
      .argument('<id>', 'id of a trace or an execution')
      .addHelpText(
        'after',
        `\nSymbols: ✓ completed, ✗ failed, … running, ‖ suspended, ■ cancelled, – skipped.\n${examples(
          'trace 0af7651916cd43dd8448eb211c80319c',
          'trace order-A-1',
        )}`,
      )
  },
  run: async (call) => {
    const [id = ''] = call.args
    const { terminal } = call
    const { client } = await connect(call, { readOnly: true })
    const found = await traceOf(id, client)
    if (terminal.json) terminal.printValue(found)
    else terminal.print(waterfall(found, terminal))
    return EXIT.done
  },
}

const TRACE_ID = /^[0-9a-f]{32}$/

/** An id with the format of a trace id may also be an execution's. */
async function traceOf(id: string, client: ApiClient): Promise<TraceDetail> {
  const known = TRACE_ID.test(id) ? await orMissing(client.getTrace({ params: { traceId: id } })) : undefined
  if (known) return known
  const execution = await orMissing(client.observeExecution({ params: { executionId: id } }))
  if (!execution)
    throw new AppError('not_found', `No trace or execution found with id "${id}"`, {
      hint: 'Run `agentserver list executions` to list executions.',
    })
  const { traceId } = execution.metadata
  const found = await orMissing(client.getTrace({ params: { traceId } }))
  if (found) return found
  throw new AppError('not_found', `Execution ${id} has no trace`, {
    hint: 'It was deleted by retention.telemetry, or tracing was off (observability.enabled).',
  })
}
