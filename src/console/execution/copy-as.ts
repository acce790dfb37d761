import { clientCode } from '../code/client-code.ts'
import { curlCode } from '../code/curl-code.ts'
import type { Opener } from '../code/request-code.ts'
import { shellQuoted } from '../code/shell-quoted.ts'

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
  readonly opener: Opener
}

/** The request that runs it, for a shell. */
export function asCurl(request: RunRequest, { url, opener }: CopyTarget): string {
  return curlCode({ method: 'POST', url, body: JSON.stringify(bodyOf(request)), opener })
}

/** The command that runs it. */
export function asCommand(request: RunRequest, { baseUrl, opener }: CopyTarget): string {
  const { workflowId, input, userId, conversationId, executionId, context = {} } = request
  const parts = [
    `npx agentserver run-workflow ${shellQuoted(workflowId)}`,
    `--input ${shellQuoted(JSON.stringify(input))}`,
    ...(userId === undefined ? [] : [`--user ${shellQuoted(userId)}`]),
    ...(conversationId === undefined ? [] : [`--conversation ${shellQuoted(conversationId)}`]),
    ...(executionId === undefined ? [] : [`--execution-id ${shellQuoted(executionId)}`]),
    ...(isEmpty(context) ? [] : [`--context ${shellQuoted(JSON.stringify(context))}`]),
    `--url ${shellQuoted(baseUrl)}`,
    ...(opener === 'token' ? ['--token "$ACCESS_TOKEN"'] : []),
  ]
  return parts.join(' \\\n  ')
}

/** TypeScript that runs it. */
export function asClientCode(request: RunRequest, { baseUrl, opener }: CopyTarget): string {
  const call = { params: { id: request.workflowId }, body: bodyOf(request) }
  return clientCode({ key: 'executeWorkflow', call, isStream: false, baseUrl, opener })
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
