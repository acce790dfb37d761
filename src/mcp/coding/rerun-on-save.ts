import { z } from 'zod'
import type { ApiClient } from '../../client/api.ts'
import { ApiError } from '../../client/api-error.ts'
import type { Pin } from '../../contract/endpoints/project/pins.ts'
import { codingTool, IdInput } from './coding-tool.ts'
import type { CodingServer } from './coding-tool.ts'

/** Below the time after which common clients give up a call. */
const DEFAULT_SECONDS = 50
const MAX_SECONDS = 240

/**
 * Pins an execution and answers with what happens to it after the next save: the outcome of its replay, or the error of
 * the load. A save that the caller made before this call counts as well.
 */
export const rerunOnSave = codingTool({
  name: 'rerun_on_save',
  description:
    'Pin a failed execution, so that its failing step runs again with its recorded input on every save. Answers with the outcome of the replay after the next good save, or with the error of the load. Edit the file before or during the call; call it again after each further edit.',
  input: z.object({
    executionId: IdInput.describe('Execution, as listed by `failures`'),
    stepId: IdInput.optional().describe('Step to run again; default: the one that failed, or else the first'),
    timeoutSeconds: z
      .int()
      .min(1)
      .max(MAX_SECONDS)
      .optional()
      .describe(`How long to wait for a save; default ${DEFAULT_SECONDS}`),
  }),
  readOnly: false,
  run: async ({ executionId, stepId, timeoutSeconds = DEFAULT_SECONDS }, server, signal) => {
    const { client, reported, lastLoad } = server
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)])
    const before = await pinOf(client, executionId)
    const isNew = before === undefined || (stepId !== undefined && before.stepId !== stepId)
    if (isNew) {
      await client.console.pinExecution({ params: { executionId }, body: { ...(stepId && { stepId }) } })
      reported.delete(executionId)
      if (await isOlderThanCode(executionId, server)) return replayNow(executionId, server)
    }
    for (;;) {
      // from before the look, so that no change is missed
      const change = server.nextChange(waiting)
      change.catch(() => undefined)
      const found = await outcomeOf(executionId, server)
      if (found) return found
      const hasChanged = await change.then(
        () => true,
        () => false,
      )
      if (hasChanged) continue
      const { at } = lastLoad() ?? {}
      return {
        outcome: 'no save yet',
        hint: `The execution stays pinned: save a file of the project, and call rerun_on_save again. Last load: ${at ?? 'none'}`,
      }
    }
  },
})

/** What happened since the last report; `undefined` when nothing has. */
async function outcomeOf(executionId: string, server: CodingServer): Promise<object | undefined> {
  const { client, reported, lastLoad } = server
  const seen = reported.get(executionId)
  const load = lastLoad()
  if (load?.type === 'config:error' && load.at !== seen?.failedAt) {
    reported.set(executionId, { ...seen, failedAt: load.at })
    return { outcome: 'load error', error: load.data }
  }
  const pin = await pinOf(client, executionId)
  if (!pin) return { outcome: 'unpinned', hint: 'Somebody has unpinned the execution' }
  const { status, problem, replayExecutionId: replayId } = pin
  if (status === 'gone') return { outcome: 'gone', problem }
  if (status === 'idle' || status === 'running' || replayId === seen?.replayId) return undefined
  reported.set(executionId, { ...seen, replayId })
  return replayed(client, replayId)
}

async function pinOf(client: ApiClient, executionId: string): Promise<Pin | undefined> {
  const { pins } = await client.console.listPins()
  return pins.find((pin) => pin.executionId === executionId)
}

/** Whether the code was loaded after the execution had ended: there will be no save of it any more. */
async function isOlderThanCode(executionId: string, { client, lastLoad }: CodingServer): Promise<boolean> {
  const load = lastLoad()
  const { updatedAt } = await client.observeExecution({ params: { executionId } })
  return load?.type === 'config:loaded' && load.at > updatedAt
}

async function replayNow(executionId: string, { client }: CodingServer): Promise<object> {
  const pin = await pinOf(client, executionId)
  const call = { params: { id: pin?.workflowId ?? '', executionId }, body: { stepId: pin?.stepId ?? '' } }
  try {
    const { executionId: replayId } = await client.replayExecution(call)
    return await replayed(client, replayId)
  } catch (error) {
    // the workflow has failed: that is the outcome
    if (error instanceof ApiError && error.executionId !== undefined)
      return replayed(client, error.executionId)
    throw error
  }
}

async function replayed(client: ApiClient, replayId: string | undefined): Promise<object> {
  if (replayId === undefined) return { outcome: 'unknown' }
  const { status, output, error, suspension } = await client.observeExecution({
    params: { executionId: replayId },
  })
  return {
    outcome: status,
    replayExecutionId: replayId,
    ...(output !== undefined && { output }),
    ...(error && { error }),
    ...(suspension && { suspension }),
  }
}
