import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/client'
import { createTool } from '../../agent/tools/create-tool.ts'
import type { Tool, ToolContext } from '../../agent/tools/tool.ts'
import { AppError, messageOf } from '../../lib/errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'
import { connectedToolName } from '../tool-name.ts'

/** Calls a tool of a connected server by the server's own tool name. */
export type CallRemote = (
  name: string,
  input: Record<string, unknown>,
  context: ToolContext,
) => Promise<CallToolResult>

export interface RemoteTool {
  readonly tool: Tool
  readonly title: string | undefined
}

export interface RemoteToolOptions {
  readonly serverId: string
  readonly call: CallRemote
  readonly warn: (text: string) => void
}

/** Wraps the tools of a connected server. Of two tools whose prefixed names are equal, the first is used. */
export function remoteTools(listed: readonly McpTool[], options: RemoteToolOptions): RemoteTool[] {
  const byName = new Map<string, RemoteTool>()
  for (const one of listed) {
    const remote = remoteTool(one, options)
    const { name } = remote.tool
    if (byName.has(name))
      options.warn(`Two tools of the server have the name "${name}" here; the first is used`)
    else byName.set(name, remote)
  }
  return [...byName.values()]
}

function remoteTool(listed: McpTool, { serverId, call, warn }: RemoteToolOptions): RemoteTool {
  const { name, description, inputSchema, outputSchema } = listed
  const title = listed.title ?? listed.annotations?.title
  const usable = (schema: JsonSchema): JsonSchema | undefined => {
    try {
      compileSchema(schema)
      return schema
    } catch (error) {
      warn(`The schema of tool "${name}" is ignored: ${messageOf(error)}`)
      return undefined
    }
  }
  const tool = createTool({
    name: connectedToolName(serverId, name),
    description: description ?? title ?? name,
    inputSchema: usable(inputSchema) ?? { type: 'object' },
    outputSchema: outputSchema && usable(outputSchema),
    execute: async (input, context) =>
      resultOf(listed, await call(name, input as Record<string, unknown>, context)),
  })
  return { tool, title }
}

/**
 * The structured content, otherwise the text, otherwise the MCP content as a tool of the project returns it. Without an
 * output schema, structured content beside images and files is returned with them.
 */
function resultOf({ name, outputSchema }: McpTool, result: CallToolResult): JsonValue {
  const { content, structuredContent, isError } = result
  if (isError === true) throw new AppError('execution_failed', failureText(name, { content }))
  const texts = textsIn(content)
  const isText = texts.length === content.length
  if (structuredContent !== undefined) {
    const value = isText || outputSchema !== undefined ? structuredContent : { content, structuredContent }
    return value as JsonValue
  }
  return isText ? texts.join('\n') : ({ content } as JsonValue)
}

/** The error message of a failed tool call. */
export function failureText(name: string, { content }: Pick<CallToolResult, 'content'>): string {
  return textsIn(content).join('\n') || `Tool "${name}" failed without an error message`
}

function textsIn(content: CallToolResult['content']): string[] {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}
