import { ApiError } from '../client/api-error.ts'
import type { Client } from '../client/create-client.ts'
import { sampleValue } from '../agent/sample/sample-value.ts'
import { AppError } from '../lib/errors.ts'
import type { ErrorCode } from '../lib/errors.ts'
import { didYouMean } from '../lib/did-you-mean.ts'

/**
 * Waits for an answer about a workflow; where it is refused, the error says what may have been meant or what
 * the workflow takes.
 */
export function withWorkflowHints<T>(answer: Promise<T>, client: Client, workflowId: string): Promise<T> {
  return withHints(answer, (error) => hintFor(error, client, workflowId))
}

type Hint = (error: ApiError) => Promise<string | undefined>

/** Waits for an answer; where it is refused, the error says what `hintFor` knows about it. */
export async function withHints<T>(answer: Promise<T>, hintFor: Hint): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw error instanceof ApiError ? await errorWithHint(error, hintFor) : error
  }
}

async function errorWithHint(error: ApiError, hintFor: Hint): Promise<Error> {
  const code = CODES[error.status] ?? 'invalid_input'
  const hint = await hintFor(error).catch((refusal: unknown) => {
    // whoever may run something may still not be allowed to read about it
    if (refusal instanceof ApiError) return undefined
    throw refusal
  })
  return hint === undefined ? error : new AppError(code, error.message, { cause: error, hint })
}

const CODES: Readonly<Record<number, ErrorCode>> = { 404: 'not_found', 409: 'conflict' }

async function hintFor(
  { status, message }: ApiError,
  client: Client,
  workflowId: string,
): Promise<string | undefined> {
  if (status === 404 && message.startsWith('Workflow not found')) {
    const ids = (await client.listWorkflows()).map(({ id }) => id)
    const meant = didYouMean(workflowId, ids)
    if (meant !== undefined) return `Did you mean "${meant}"?`
    return ids.length === 0 ? 'The configuration declares no workflows.' : `There are: ${ids.join(', ')}`
  }
  if (status === 404) return 'See `agentserver list executions`.'
  if (status !== 400) return undefined
  if (message.startsWith('Input validation failed')) {
    const { inputSchema } = await client.getWorkflow({ params: { id: workflowId } })
    return `Example: --input '${JSON.stringify(await sampleValue(inputSchema, ''))}'`
  }
  return undefined
}
