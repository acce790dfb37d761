import type * as Mcp from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiError } from '../../client/api-error.ts'
import { AppError } from '../../lib/errors.ts'
import { VERSION } from '../../lib/packages/own-package.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import { readIssues } from '../../lib/schema/standard-validation.ts'
import { resultText } from './coding-tool.ts'
import type { CodingServer, CodingTool } from './coding-tool.ts'

const INSTRUCTIONS = `Tools for the agentserver project in development. Start with \`failures\`; \`read_execution\` shows the error with its line of source. Edit the file, then call \`rerun_on_save\`, which runs the failed step again with its recorded input. \`docs\` answers questions about agentserver.`

export interface CodingServerOptions {
  readonly tools: readonly CodingTool[]
  /** Resolves with the result of a tool. */
  readonly call: (tool: CodingTool, input: object, signal: AbortSignal) => Promise<Mcp.CallToolResult>
}

/** Creates the MCP server for coding agents. */
export function createCodingServer(mcp: typeof Mcp, { tools, call }: CodingServerOptions): Mcp.Server {
  const server = new mcp.Server(
    { name: 'agentserver', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  const listed = tools.map(({ name, description, input, readOnly }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }) as { type: 'object' },
    annotations: { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: !readOnly },
  }))
  server.setRequestHandler('tools/list', () => ({ tools: listed }))
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name)
    if (tool) return call(tool, params.arguments ?? {}, mcpReq.signal)
    throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, `Tool not found: ${params.name}`)
  })
  return server
}

/** Runs a tool; a local one without a server. What the server or the input makes fail is a result that a model can read. */
export async function runCodingTool(
  tool: CodingTool,
  input: object,
  { server, signal }: { readonly server: CodingServer | undefined; readonly signal: AbortSignal },
): Promise<Mcp.CallToolResult> {
  const parsed = tool.input.strict().safeParse(input)
  if (!parsed.success) return failed(formatIssues(readIssues(parsed.error.issues, input, 'zod'), 'input'))
  try {
    return {
      content: [
        { type: 'text', text: resultText(await tool.run(parsed.data, server as CodingServer, signal)) },
      ],
    }
  } catch (error) {
    if (error instanceof AppError) return failed(error.message)
    if (!(error instanceof ApiError)) throw error
    const { message, executionId } = error
    if (executionId === undefined) return failed(message)
    return failed(`${message} (execution ${executionId}: read_execution shows its error)`)
  }
}

/** The result of a tool that could not do its work. */
export function failed(text: string): Mcp.CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}
