import type { ExecutionDetail } from '../../../../contract/execution.ts'
import { clientCode } from '../../../code/client-code.ts'
import { curlCode } from '../../../code/curl-code.ts'
import type { Opener } from '../../../code/request-code.ts'
import { shellQuoted } from '../../../code/shell-quoted.ts'

export interface CopyTarget {
  /** Absolute URL that executes the workflow. */
  readonly url: string
  /** Absolute URL of the server, without a slash at its end. */
  readonly baseUrl: string
  readonly opener: Opener
}

/** The request that runs the same again, for a shell. */
export function asCurl(record: ExecutionDetail, { url, opener }: CopyTarget): string {
  return curlCode({ method: 'POST', url, body: JSON.stringify(bodyOf(record)), opener })
}

/** The command that runs the same again. */
export function asCommand(record: ExecutionDetail, { baseUrl, opener }: CopyTarget): string {
  const { workflowId, input, userId, conversationId, context } = record
  const parts = [
    `npx agentserver run-workflow ${shellQuoted(workflowId)}`,
    `--input ${shellQuoted(JSON.stringify(input))}`,
    ...(userId === undefined ? [] : [`--user ${shellQuoted(userId)}`]),
    ...(conversationId === undefined ? [] : [`--conversation ${shellQuoted(conversationId)}`]),
    ...(isEmpty(context) ? [] : [`--context ${shellQuoted(JSON.stringify(context))}`]),
    `--url ${shellQuoted(baseUrl)}`,
    ...(opener === 'token' ? ['--token "$ACCESS_TOKEN"'] : []),
  ]
  return parts.join(' \\\n  ')
}

/** TypeScript that runs the same again. */
export function asClientCode(record: ExecutionDetail, { baseUrl, opener }: CopyTarget): string {
  const call = { params: { id: record.workflowId }, body: bodyOf(record) }
  return clientCode({ key: 'executeWorkflow', call, isStream: false, baseUrl, opener })
}

function bodyOf({ input, userId, conversationId, context }: ExecutionDetail): object {
  const options = {
    ...(userId !== undefined && { userId }),
    ...(conversationId !== undefined && { conversationId }),
    ...(!isEmpty(context) && { context }),
  }
  return { input, ...(!isEmpty(options) && { options }) }
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
