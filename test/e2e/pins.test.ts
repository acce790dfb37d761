import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExecutionRecord } from '../../src/contract/endpoints/execution.ts'
import type { Pin, PinList } from '../../src/contract/endpoints/project/pins.ts'
import { CliProject } from '../support/project/cli-project.ts'
import type { RunningServer } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

/** `order` fails in its step `charge` unless `body` returns; `runs` counts its steps. */
const shop = (body: string, ids = 'order') => ({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    import fs from 'node:fs'
    const note = (text) => fs.appendFileSync('ran.log', text + '\\n')
    const order = createWorkflow({ id: 'order', name: 'Order' })
      .andThen({ id: 'price', execute: () => { note('price'); return { total: 40 } } })
      .andThen({ id: 'charge', execute: async ({ data, signal }) => { note('charge'); ${body} } })
    const other = createWorkflow({ id: 'other' }).andThen({ id: 'a', execute: () => 1 })
    export default defineConfig({ workflows: [${ids}] })
  `,
})
const FAILING = `throw new Error('card declined')`

describe('a pinned execution', () => {
  const project = new CliProject(shop(FAILING))
  let server: RunningServer
  let executionId = ''

  const request = async <T>(
    path: string,
    method = 'GET',
    json?: object,
  ): Promise<{ status: number; data: T }> => {
    const init = json && { body: JSON.stringify(json), headers: { 'Content-Type': 'application/json' } }
    const response = await fetch(new URL(path, server.url), { method, ...init })
    const { data } = (await response.json()) as { data: T }
    return { status: response.status, data }
  }
  const pinned = async () => (await request<PinList>('/observability/pins')).data.pins
  const replays = async () =>
    (await request<ExecutionRecord[]>(`/observability/executions?forkedFrom=${executionId}`)).data
  const startFailing = async () => {
    const init = { method: 'POST', body: '{"input":{}}', headers: { 'Content-Type': 'application/json' } }
    const response = await fetch(new URL('/workflows/order/execute', server.url), init)
    return response.headers.get('x-execution-id') ?? ''
  }

  beforeAll(async () => {
    server = await project.serve('dev')
    executionId = await startFailing()
  })
  afterAll(() => project.end())

  it('runs its failing step again on every save, from its recorded input, and the terminal has the outcome', async () => {
    const { data: pin } = await request<Pin>(`/observability/pins/${executionId}`, 'PUT')
    expect(pin).toMatchObject({ executionId, workflowId: 'order', stepId: 'charge', status: 'idle' })
    project.write(shop(`throw new Error('declined again')`))
    await server.waitForOutput(`↻ order ${executionId}: failed: declined again`)
    expect(await pinned()).toMatchObject([{ status: 'error', error: { message: 'declined again' } }])
    project.write(shop('return { charged: data.total }'))
    await server.waitForOutput(`↻ order ${executionId}: completed`)
    const [now] = await pinned()
    expect(now).toMatchObject({ status: 'completed', replayExecutionId: expect.any(String) })
    expect(project.notes().filter((note) => note === 'price')).toHaveLength(1)
    expect((await replays()).map(({ status, forkedFrom }) => [status, forkedFrom])).toEqual([
      ['completed', { executionId, stepId: 'charge', pinned: true }],
      ['error', { executionId, stepId: 'charge', pinned: true }],
    ])
  })

  it('is compared with the completed run before', async () => {
    const [before] = await pinned()
    project.write(shop('return { charged: data.total + 1 }'))
    await until(async () => (await pinned())[0]?.replayExecutionId !== before?.replayExecutionId)
    expect((await pinned())[0]).toMatchObject({ comparedExecutionId: before?.replayExecutionId })
  })

  it('does not run again when a save fails to load', async () => {
    const count = (await replays()).length
    project.write({ 'agentserver.config.ts': 'export default {' })
    await server.waitForOutput(/agentserver\.config\.ts:1/)
    project.write(shop('return 1'))
    await expect.poll(async () => (await replays()).length).toBe(count + 1)
  })

  it('runs at most once for saves that are faster than the replay, and the newest wins', async () => {
    const count = (await replays()).length
    const slow = (value: number) =>
      shop(`await new Promise((resolve) => setTimeout(resolve, 400)); return ${value}`)
    for (let value = 0; value < 6; value++) {
      project.write(slow(value))
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    await until(async () => {
      const [pin] = await pinned()
      const replay = (await replays()).find(({ id }) => id === pin?.replayExecutionId)
      return pin?.status === 'completed' && replay?.output === 5
    }, 'the replay of the last save')
    const made = (await replays()).length - count
    expect(made).toBeLessThanOrEqual(6)
    expect((await replays()).filter(({ status }) => status === 'running')).toEqual([])
  })

  it('that never ends is cancelled for a newer save', async () => {
    project.write(shop(`return new Promise(() => undefined)`))
    await until(async () => (await pinned())[0]?.status === 'running')
    project.write(shop(`return 'done'`))
    await until(async () => (await pinned())[0]?.status === 'completed', 'the next replay')
    expect((await replays()).filter(({ status }) => status === 'cancelled').length).toBeGreaterThan(0)
  })

  it('says that its workflow is gone, and survives a kill of the server', async () => {
    project.write(shop('return 1', 'other'))
    const gone = 'The workflow "order" is not in the configuration'
    await server.waitForOutput(`↻ order ${executionId}: failed: ${gone}`)
    expect(await pinned()).toMatchObject([{ status: 'gone', problem: gone }])
    await server.kill('SIGKILL')
    project.write(shop('return 2'))
    server = await project.serve('dev')
    expect(await pinned()).toMatchObject([{ executionId, stepId: 'charge' }])
    const count = (await replays()).length
    project.write(shop('return 3'))
    await server.waitForOutput(`↻ order ${executionId}: completed`)
    expect(await replays()).toHaveLength(count + 1)
  })

  it('is pinned and unpinned over the API only under dev, by an existing step', async () => {
    const pin = `/observability/pins/${executionId}`
    expect(await request(pin, 'PUT', { stepId: 'price' })).toMatchObject({ data: { stepId: 'price' } })
    expect((await request(pin, 'PUT', { stepId: 'none' })).status).toBe(400)
    expect((await request('/observability/pins/none', 'PUT')).status).toBe(404)
    expect((await request(pin, 'DELETE')).data).toEqual({ enabled: true, pins: [] })
    expect((await request(pin, 'DELETE')).status).toBe(404)
    await request(pin, 'PUT')
    await server.kill('SIGTERM')
    server = await project.serve('start')
    expect((await request('/observability/pins')).data).toEqual({ enabled: false, pins: [] })
    expect((await request(pin, 'PUT')).status).toBe(409)
  })
})
