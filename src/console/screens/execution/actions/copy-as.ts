import type { ExecutionRecord } from '../../../../contract/execution.ts'

export interface CopyTarget {
  /** Absolute URL that executes the workflow. */
  readonly url: string
  /** Absolute URL of the server, without a slash at its end. */
  readonly baseUrl: string
  /** Runs need a token here. */
  readonly token: boolean
}

/** The request that runs the same again, for a shell. Secrets are named, never written. */
export function asCurl(record: ExecutionRecord, { url, token }: CopyTarget): string {
  const lines = [
    `curl -X POST ${quoted(url)}`,
    ...(token ? ['-H "Authorization: Bearer $AGENTSERVER_TOKEN"'] : []),
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(bodyOf(record)))}`,
  ]
  return lines.join(' \\\n  ')
}

/** The command that runs the same again. */
export function asCommand(record: ExecutionRecord, { baseUrl, token }: CopyTarget): string {
  const { workflowId, input, userId, conversationId } = record
  const context = contextOf(record)
  const parts = [
    `npx agentserver run-workflow ${quoted(workflowId)}`,
    `--input ${quoted(JSON.stringify(input))}`,
    ...(userId === undefined ? [] : [`--user ${quoted(userId)}`]),
    ...(conversationId === undefined ? [] : [`--conversation ${quoted(conversationId)}`]),
    ...(context === undefined ? [] : [`--context ${quoted(JSON.stringify(context))}`]),
    `--url ${quoted(baseUrl)}`,
    ...(token ? ['--token "$AGENTSERVER_TOKEN"'] : []),
  ]
  return parts.join(' \\\n  ')
}

/** TypeScript that runs the same again. */
export function asClientCode(record: ExecutionRecord, { baseUrl, token }: CopyTarget): string {
  const call = { params: { id: record.workflowId }, body: bodyOf(record) }
  const options = `{ baseUrl: ${JSON.stringify(baseUrl)}${token ? ', token: process.env.AGENTSERVER_TOKEN' : ''} }`
  return [
    `import { createClient } from 'agentserver/client'`,
    '',
    `const client = createClient(${options})`,
    `const { status, result } = await client.executeWorkflow(${JSON.stringify(call, null, 2)})`,
  ].join('\n')
}

function bodyOf(record: ExecutionRecord): object {
  const { input, userId, conversationId } = record
  const context = contextOf(record)
  const options = {
    ...(userId !== undefined && { userId }),
    ...(conversationId !== undefined && { conversationId }),
    ...(context !== undefined && { context }),
  }
  return { input, ...(Object.keys(options).length > 0 && { options }) }
}

function contextOf(record: ExecutionRecord): object | undefined {
  const { context } = record as { context?: object }
  return context && Object.keys(context).length > 0 ? context : undefined
}

/** A word of a POSIX shell. */
function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  return `'${text.replaceAll("'", `'\\''`)}'`
}
