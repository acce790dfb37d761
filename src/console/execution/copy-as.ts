import { clientCode, curlCode, shellQuote, credentialFor } from '../code/request-code.ts'
import type { CodeCredential } from '../code/request-code.ts'
import { useServices } from '../services/services-context.tsx'

/** The request that starts an execution. Execution records have the same fields. */
interface RunRequest {
  readonly workflowId: string
  readonly input?: unknown
  readonly userId?: string | undefined
  readonly conversationId?: string | undefined
  /** Chosen by the caller. */
  readonly executionId?: string | undefined
  readonly context?: Readonly<Record<string, unknown>> | undefined
}

interface CopyTarget {
  /** Absolute URL of the execute or stream endpoint. */
  readonly url: string
  /** Absolute URL of the server, without a trailing slash. */
  readonly baseUrl: string
  readonly credential: CodeCredential
}

/** The request as a curl command. */
export function asCurl(request: RunRequest, { url, credential }: CopyTarget): string {
  return curlCode({ method: 'POST', url, body: JSON.stringify(bodyOf(request)), credential })
}

/** The request as a CLI command. */
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

/** The request as client code. */
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

/** The target of a copied request: the execute or the stream endpoint. */
export function useCopyTarget(
  workflowId: string,
  key: 'executeWorkflow' | 'streamWorkflow' = 'executeWorkflow',
): CopyTarget {
  const { api, addresses, credentials } = useServices()
  return {
    url: api.urlOf(key, { params: { id: workflowId } }),
    baseUrl: `${addresses.origin}${addresses.api}`.replace(/\/$/, ''),
    credential: credentialFor(credentials, 'token'),
  }
}
