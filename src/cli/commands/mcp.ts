import type * as Mcp from '@modelcontextprotocol/server'
import type { CodingTool } from '../../mcp/coding/coding-tool.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import { AppError } from '../../lib/errors.ts'
import { ApiError } from '../../client/api-error.ts'
import { readMessages } from '../../client/read-events.ts'
import { examples } from '../command.ts'
import type { CliCommand, CommandCall } from '../command.ts'
import { connect } from '../connect/connect.ts'
import { findTarget } from '../connect/find-server.ts'
import { EXIT } from '../exit-code.ts'

const HELP = `
Serves the tools for coding agents over stdio (Model Context Protocol): failures with their line of source, executions,
traces, logs, runs, replays on save, cases, evals and the documentation. The tools work on the running server of the
project, which \`agentserver dev\` starts; \`docs\` works without one. A client starts this command by itself:

  { "mcpServers": { "agentserver": { "command": "npx", "args": ["agentserver", "mcp"] } } }

The same tools are served over HTTP at /mcp/dev.
`

export const mcp: CliCommand = {
  define: (command) => {
    command
      .option('--read-only', 'only tools that change and start nothing')
      .addHelpText('after', HELP)
      .addHelpText('after', examples('mcp', 'mcp --read-only', 'mcp --cwd apps/shop').trimStart())
  },
  run: async (call) => {
    const { lifetime, options } = call
    lifetime.exitWhenInterrupted = EXIT.done
    const [sdk, { serveStdio }, { CODING_TOOLS }, { createCodingServer, failed, runCodingTool }] =
      await Promise.all([
        import('@modelcontextprotocol/server'),
        import('@modelcontextprotocol/server/stdio'),
        import('../../mcp/coding/coding-tools.ts'),
        import('../../mcp/coding/coding-server.ts'),
      ])
    const tools = CODING_TOOLS.filter(({ readOnly }) => readOnly || options['readOnly'] !== true)
    const forward = async (tool: CodingTool, input: object, signal: AbortSignal) => {
      if (tool.isLocal) return runCodingTool(tool, input, { server: undefined, signal })
      try {
        return await callServer(call, { tool: tool.name, input, signal })
      } catch (error) {
        if (error instanceof AppError || error instanceof ApiError) return failed(error.message)
        throw error
      }
    }
    const served = serveStdio(() => createCodingServer(sdk, { tools, call: forward }))
    lifetime.defer(() => served.close())
    const closed = createDeferred<void>()
    process.stdin.once('close', closed.resolve).once('end', closed.resolve)
    await closed.promise
    return EXIT.done
  },
}

/**
 * Calls a tool on the running server, which is looked for each time: it may have been restarted.
 *
 * @throws AppError without a server; ApiError when it refuses the call.
 */
async function callServer(
  call: CommandCall,
  { tool, input, signal }: { tool: string; input: object; signal: AbortSignal },
): Promise<Mcp.CallToolResult> {
  const url = call.options.url ?? (await runningUrl(call.options.config))
  const { client } = await connect({ ...call, options: { ...call.options, url } })
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: input },
  } as const
  const text = await client.callCodingServer({ body: request, signal })
  const { result, error } = JSON.parse(await messageIn(text)) as {
    result?: Mcp.CallToolResult
    error?: { message: string }
  }
  if (result) return result
  throw new AppError('unreachable', error?.message ?? 'The server sent no result')
}

/** @throws AppError `unreachable` */
async function runningUrl(config: string | undefined): Promise<string> {
  const target = await findTarget(process.cwd(), config)
  if (target.kind === 'server') return target.info.url
  throw new AppError(
    'unreachable',
    `No server of the project is running. Start \`agentserver dev\` in ${process.cwd()}, then call again.`,
  )
}

/** The last message of a response, which is JSON or an event stream. */
async function messageIn(text: string): Promise<string> {
  const { body } = new Response(text)
  let last = text
  if (!text.startsWith('{') && body) for await (const { data } of readMessages(body)) last = data
  return last
}
