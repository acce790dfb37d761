import { sampleValue } from '../../agent/sample/sample-value.ts'
import type { ApiError } from '../../client/api-error.ts'
import type { CallOf, Client } from '../../client/create-client.ts'
import type { Endpoints } from '../../contract/index.ts'
import type { ToolSummary } from '../../contract/endpoints/tool.ts'
import { connect } from '../connect/connect.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { givenInput } from '../options/execution-options.ts'
import { EXIT } from '../exit-code.ts'
import { escapeJson } from '../../lib/escape-controls.ts'
import { withHints } from '../error-hints.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { duration } from '../print/duration.ts'

export const runTool: CliCommand = {
  define: (command) => {
    command
      .argument('<tool>', 'name of the tool')
      .option('--input <json>', 'input as JSON, @file, or - for stdin (default: {})')
      .option('--user <id>', 'the user it runs for')
      .option('--conversation <id>', 'the conversation it belongs to')
      .option('--context <json>', 'further data for the tool: an object as JSON, @file, or - for stdin')
      .option('--approve', 'agree to what a tool does that needs approval')
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
    const leaving = new AbortController()
    lifetime.whenInterrupted(() => leaving.abort())
    const answer = client.executeTool({ params: { name }, body, signal: leaving.signal })
    const done = await withHints(answer, (error) => hintFor(error, client, name))
    if (terminal.json) terminal.printValue(done)
    else {
      const { notePaint: paint } = terminal
      const trace = paint.dim(`(trace ${done.traceId})`)
      terminal.note(`${paint.green('✓')} ${name} executed in ${duration(done.durationMs)} ${trace}`)
      terminal.print(escapeJson(JSON.stringify(done.result, null, 2)))
    }
    return EXIT.done
  },
}

type ExecuteBody = CallOf<Endpoints['executeTool']>['body']

async function executeBody(call: CommandCall): Promise<ExecuteBody> {
  return { ...(await givenInput(call)), approve: call.options['approve'] === true }
}

async function hintFor({ status }: ApiError, client: Client, name: string): Promise<string | undefined> {
  if (status === 409) return 'Say --approve to agree to it.'
  if (status !== 404 && status !== 400) return undefined
  const tools = await client.listTools()
  return status === 404 ? meant(name, tools) : example(tools.find((tool) => tool.name === name))
}

function meant(name: string, tools: readonly ToolSummary[]): string {
  const names = tools.map((tool) => tool.name)
  const near = didYouMean(name, names)
  if (near !== undefined) return `Did you mean "${near}"?`
  return names.length === 0 ? 'The configuration declares no tools.' : `There are: ${names.join(', ')}`
}

async function example(tool: ToolSummary | undefined): Promise<string | undefined> {
  return tool && `Example: --input '${JSON.stringify(await sampleValue(tool.inputSchema, ''))}'`
}
