import { isDeepStrictEqual } from 'node:util'
import { setTimeout as wait } from 'node:timers/promises'
import { EXPECTED } from '../../chaos/chaos-project.ts'
import { eventsOf } from '../../chaos/streams.ts'
import type { SoakClient } from '../soak-client.ts'
import { HOUR, QUICK } from '../soak-project.ts'

/** How an execution is started. */
export const STARTS = ['sync', 'async', 'stream', 'leave'] as const
export type Start = (typeof STARTS)[number]

/** A reader that leaves has read so many events. */
const EVENTS_BEFORE_LEAVING = 3

/** Events that each execution of `waits` receives. */
const EVENTS = 3

/** Tries of a request that its execution is not ready for, and the time between two, in milliseconds. */
const TRIES = 500
const AGAIN_MS = 20

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'error', 'cancelled'])

/** Executes the workflow that is measured, and returns its time in milliseconds. */
export async function executeQuick(client: SoakClient, executionId: string): Promise<number> {
  const startedAt = performance.now()
  const { status, data } = await client.post(`/workflows/${QUICK}/execute`, bodyOf(executionId))
  const took = performance.now() - startedAt
  // 409: it was started by a request that a deploy has interrupted
  if (status !== 409 && (status !== 200 || data?.status !== 'completed'))
    throw new Error(`${executionId}: ${status} ${JSON.stringify(data)}`)
  return took
}

/** Starts an execution of a workflow of chaos, gives it what it waits for, follows it, and compares its end with what is expected. */
export async function runToEnd(
  client: SoakClient,
  workflow: string,
  executionId: string,
  start: Start,
): Promise<void> {
  await startExecution(client, workflow, executionId, start)
  if (workflow === 'asks') await resume(client, executionId)
  if (workflow === 'waits') await sendEvents(client, executionId)
  const record = await endOf(client, workflow, executionId)
  const { status, output, compensation } = EXPECTED[workflow] ?? {}
  if (
    record.status !== status ||
    record.compensation !== compensation ||
    !isDeepStrictEqual(record.output ?? undefined, output)
  )
    throw new Error(`${executionId}: ${JSON.stringify(record)}`)
}

/** Starts an execution that sleeps for an hour, and cancels it. */
export async function cancelSleeping(client: SoakClient, executionId: string): Promise<void> {
  await startExecution(client, HOUR, executionId, 'async')
  await client.post(`/workflows/${HOUR}/executions/${executionId}/cancel`, {})
  const { status } = await endOf(client, HOUR, executionId)
  if (status !== 'cancelled') throw new Error(`${executionId}: ${status} after it was cancelled`)
}

async function startExecution(
  client: SoakClient,
  workflow: string,
  executionId: string,
  start: Start,
): Promise<void> {
  const body = bodyOf(executionId)
  const route = `/workflows/${workflow}`
  if (start === 'sync' || start === 'async') {
    const headers = start === 'async' ? { prefer: 'respond-async' } : {}
    const { status, data } = await client.post(`${route}/execute`, body, headers)
    // 409: as above; 500: it has ended with its error
    if (status !== 200 && status !== 202 && status !== 409 && !(status === 500 && isFailing(workflow)))
      throw new Error(`${executionId}: ${status} ${JSON.stringify(data)}`)
  } else {
    await client.stream(`${route}/stream`, body, async (response) => {
      let count = 0
      // leaving the loop closes the connection
      for await (const _ of eventsOf(response))
        if (start === 'leave' && ++count === EVENTS_BEFORE_LEAVING) break
    })
  }
}

function isFailing(workflow: string): boolean {
  return EXPECTED[workflow]?.status === 'error'
}

async function resume(client: SoakClient, executionId: string): Promise<void> {
  const route = `/workflows/asks/executions/${executionId}/resume`
  await repeated(executionId, async () => {
    const { status } = await client.post(route, { resumeData: { answer: 42 } })
    return status === 200 || ENDED.has((await recordOf(client, 'asks', executionId)).status)
  })
}

async function sendEvents(client: SoakClient, executionId: string): Promise<void> {
  for (let n = 0; n < EVENTS; n++) {
    const event = { name: 'chaos', key: executionId, data: { n }, id: `${executionId}-${n}` }
    const { status } = await client.post('/events', event)
    if (status !== 200) throw new Error(`${executionId}: event ${n}: ${status}`)
  }
}

/** Follows an execution until it has ended, and returns its record. */
async function endOf(client: SoakClient, workflow: string, executionId: string): Promise<any> {
  return repeated(executionId, async () => {
    // a machine that ends closes the stream before the end of the execution
    await client.follow(workflow, executionId)
    const record = await recordOf(client, workflow, executionId)
    return ENDED.has(record.status) ? record : undefined
  })
}

async function recordOf(client: SoakClient, workflow: string, executionId: string): Promise<any> {
  const { status, data } = await client.get(`/workflows/${workflow}/executions/${executionId}`)
  if (status !== 200) throw new Error(`${executionId}: its record is ${status}`)
  return data
}

async function repeated<T>(executionId: string, work: () => Promise<T>): Promise<NonNullable<T>> {
  for (let n = 0; n < TRIES; n++) {
    const value = await work()
    if (value) return value
    await wait(AGAIN_MS)
  }
  throw new Error(`${executionId}: was not ready after ${TRIES} tries`)
}

function bodyOf(executionId: string): object {
  return { input: {}, options: { executionId } }
}
