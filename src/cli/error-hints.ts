import { ApiError } from '../client/api-error.ts'
import type { ApiClient } from '../client/api.ts'
import { examplesIn } from '../contract/schema-examples.ts'
import { sampleValue } from '../agent/sample/sample-value.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { AppError } from '../lib/errors.ts'
import type { ErrorCode } from '../lib/errors.ts'
import { shellQuote } from './print/shell-quote.ts'
import type { Terminal } from './print/terminal.ts'

/** Adds a hint to the error of a request about a workflow: a similar id, the available ids, or an example input. */
export function withWorkflowHints<T>(
  response: Promise<T>,
  client: ApiClient,
  workflowId: string,
): Promise<T> {
  return withHints(response, (error) => workflowHint(error, client, workflowId))
}

/** Adds the ways out to the refusal of a resume whose execution does not fit the changed code. */
export function withMisfitHint<T>(
  response: Promise<T>,
  execution: { readonly id: string; readonly executionId: string },
): Promise<T> {
  return withHints(response, async ({ status, message }) =>
    status === 409 && message.includes(' does not fit the changed code') ? waysOut(execution) : undefined,
  )
}

/** What can be done with an execution that does not fit the changed code. */
export function waysOut({ id, executionId }: { readonly id: string; readonly executionId: string }): string {
  const ids = `${id} ${executionId}`
  return `Put the id back or name it with was: a reload looks again. Or run the code as it is: \`agentserver resume-workflow ${ids} --accept-changes\`. Or \`agentserver replay-workflow ${ids} --step <id>\`, or \`agentserver cancel-workflow ${ids}\`.`
}

type HintFor = (error: ApiError) => Promise<string | undefined>

/** Adds the hint of `hintFor` to the error of a request. */
export async function withHints<T>(response: Promise<T>, hintFor: HintFor): Promise<T> {
  try {
    return await response
  } catch (error) {
    throw error instanceof ApiError ? await errorWithHint(error, hintFor) : error
  }
}

/** The hint for an unknown name: a similar one, else all available ones. `kind` is a plural such as `workflows`. */
export function unknownNameHint(name: string, available: readonly string[], kind: string): string {
  const similar = didYouMean(name, available)
  if (similar !== undefined) return `Did you mean "${similar}"?`
  return available.length === 0
    ? `The configuration declares no ${kind}.`
    : `Available ${kind}: ${available.join(', ')}`
}

/** Throws AppError `not_found`, with a hint, for a workflow that the configuration does not declare: of commands without a server. */
export function requireWorkflow(workflows: readonly { readonly id: string }[], id: string): void {
  const ids = workflows.map((workflow) => workflow.id)
  if (ids.includes(id)) return
  throw new AppError('not_found', `Workflow not found: ${id}`, {
    hint: unknownNameHint(id, ids, 'workflows'),
  })
}

/** Prints the hint for a name that an empty list was filtered by, if the configuration does not declare it. */
export async function noteUnknownName(
  terminal: Terminal,
  { workflows, agents }: { workflows?: string | undefined; agents?: string | undefined },
  client: ApiClient,
): Promise<void> {
  const filters = [
    { kind: 'workflows', name: workflows, list: () => client.listWorkflows() },
    { kind: 'agents', name: agents, list: () => client.listAgents() },
  ]
  for (const { kind, name, list } of filters) {
    if (name === undefined) continue
    const ids = (await list()).map(({ id }) => id)
    if (!ids.includes(name)) terminal.note(terminal.notePaint.dim(unknownNameHint(name, ids, kind)))
  }
}

async function errorWithHint(error: ApiError, hintFor: HintFor): Promise<Error> {
  const code = CODES[error.status] ?? 'invalid_input'
  const hint = await hintFor(error).catch((failure: unknown) => {
    // a caller that may run something is not always allowed to list it
    if (failure instanceof ApiError) return undefined
    throw failure
  })
  return hint === undefined ? error : new AppError(code, error.message, { cause: error, hint })
}

const CODES: Readonly<Record<number, ErrorCode>> = { 404: 'not_found', 409: 'conflict' }

async function workflowHint(
  { status, message }: ApiError,
  client: ApiClient,
  workflowId: string,
): Promise<string | undefined> {
  if (status === 404 && message.startsWith('Workflow not found')) {
    const ids = (await client.listWorkflows()).map(({ id }) => id)
    return unknownNameHint(workflowId, ids, 'workflows')
  }
  if (status === 404) return 'Run `agentserver list executions` to list executions.'
  if (status !== 400) return undefined
  if (message.startsWith('Input validation failed')) {
    const { inputSchema } = await client.getWorkflow({ params: { id: workflowId } })
    const [example = await sampleValue(inputSchema, '')] = examplesIn(inputSchema)
    return `Example: --input ${shellQuote(JSON.stringify(example))}`
  }
  return undefined
}
