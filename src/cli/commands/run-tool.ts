import { sampleValue } from '../../agent/sample/sample-value.ts'
import type { ApiError } from '../../client/api-error.ts'
import type { CallOf } from '../../client/call.ts'
import type { ApiClient } from '../../client/api.ts'
import type { Endpoints } from '../../contract/index.ts'
import type { ToolSummary } from '../../contract/endpoints/tool.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { readInput } from '../options/execution-options.ts'
import { EXIT } from '../exit-code.ts'
import { escapeJson } from '../../lib/escape-controls.ts'
import { unknownNameHint, withHints } from '../error-hints.ts'
import { duration } from '../print/duration.ts'

export const runTool: CliCommand = {
  define: (command) => {
    command
      .argument('<tool>', 'name of the tool')
      .option('--input <json>', 'input: JSON, @file, or - for stdin (default: {})')
      .option('--user <id>', 'user id')
      .option('--conversation <id>', 'conversation id')
      .option('--context <json>', 'context for the tool: a JSON object, @file, or - for stdin')
      .option('--approve', 'approve a tool that requires approval')
      .addHelpText(
        'after',
        examples(
          `run-tool lookup-order --input '{"orderId":"A-1"}'`,
          'run-tool refund --input @refund.json --approve',
        ),
      )
  },
  run: async (call) => {
    const [name = ''] = call.args
    const { terminal, lifetime } = call
    const body = await executeBody(call)
    const { client } = await connect(call)
    lifetime.waitsFor = `Tool "${name}"`
    const abort = new AbortController()
    lifetime.onInterrupt(() => abort.abort())
    const response = client.executeTool({ params: { name }, body, signal: abort.signal })
    const execution = await withHints(response, (error) => hintFor(error, client, name))
    if (terminal.json) terminal.printValue(execution)
    else {
      const { notePaint: paint } = terminal
      const trace = paint.dim(`(trace ${execution.traceId})`)
      terminal.note(`${paint.green('✓')} ${name} executed in ${duration(execution.durationMs)} ${trace}`)
      terminal.print(escapeJson(JSON.stringify(execution.result, null, 2)))
    }
    return EXIT.done
  },
}

type ExecuteBody = CallOf<Endpoints['executeTool']>['body']

async function executeBody(call: CommandCall): Promise<ExecuteBody> {
  return { ...(await readInput(call)), approve: call.options['approve'] === true }
}

async function hintFor({ status }: ApiError, client: ApiClient, name: string): Promise<string | undefined> {
  if (status === 409) return 'Pass --approve to run it.'
  if (status !== 404 && status !== 400) return undefined
  const tools = await client.listTools()
  if (status === 400) return exampleInput(tools.find((tool) => tool.name === name))
  const names = tools.map((tool) => tool.name)
  return unknownNameHint(name, names, 'tools')
}

async function exampleInput(tool: ToolSummary | undefined): Promise<string | undefined> {
  return tool && `Example: --input '${JSON.stringify(await sampleValue(tool.inputSchema, ''))}'`
}
