import { clientCode } from '../code/client-code.ts'
import { curlCode } from '../code/curl-code.ts'
import type { CodeCredential } from '../code/request-code.ts'
import { shellQuote } from '../code/shell-quote.ts'

/** What an execution was, or is to be, started with. The records of executions have it. */
export interface RunRequest {
  readonly workflowId: string
  readonly input?: unknown
  readonly userId?: string | undefined
  readonly conversationId?: string | undefined
  /** An id of the caller's. */
  readonly executionId?: string | undefined
  readonly context?: Readonly<Record<string, unknown>> | undefined
}

export interface CopyTarget {
  /** Absolute URL that executes the workflow, or streams it. */
  readonly url: string
  /** Absolute URL of the server, without a slash at its end. */
  readonly baseUrl: string
  readonly credential: CodeCredential
}

/** The request that runs it, for a shell. */
export function asCurl(request: RunRequest, { url, credential }: CopyTarget): string {
  return curlCode({ method: 'POST', url, body: JSON.stringify(bodyOf(request)), credential })
}

/** The command that runs it. */
export function asCommand(request: RunRequest, { baseUrl, credential }: CopyTarget): string {
  const { workflowId, input, userId, conversationId, executionId, context = {} } = request
  const parts = [
    `npx agentserver run-workflow ${shellQuote(workflowId)}`,
    `--input ${shellQuote(JSON.stringify(input))}`,
    ...(userId === undefined ? [] : [`--user ${shellQuote(userId)}`]),
    ...(conversationId === undefined ? [] : [`--conversation ${shellQuote(conversationId)}`]),
    ...(executionId === undefined ? [] : [`--execution-id ${shellQuote(executionId)}`]),
    ...(isEmpty(context) ? [] : [`--context ${shellQuote(JSON.stringify(context))}`]),
    `--url ${shellQuote(baseUrl)}`,
    ...(credential === 'token' ? ['--token "$ACCESS_TOKEN"'] : []),
  ]
  return parts.join(' \\\n  ')
}

/** TypeScript that runs it. */
export function asClientCode(request: RunRequest, { baseUrl, credential }: CopyTarget): string {
  const call = { params: { id: request.workflowId }, body: bodyOf(request) }
  return clientCode({ key: 'executeWorkflow', call, isStream: false, baseUrl, credential })
}

function bodyOf({ input, userId, conversationId, executionId, context = {} }: RunRequest): object {
  const options = {
    ...(userId !== undefined && { userId }),
    ...(conversationId !== undefined && { conversationId }),
    ...(executionId !== undefined && { executionId }),
    ...(!isEmpty(context) && { context }),
  }
  return { input, ...(!isEmpty(options) && { options }) }
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
