import { hostname } from 'node:os'
import { afterEach, expect, it } from 'vitest'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'
import type { MachineSummary } from '../../src/contract/endpoints/observability.ts'

let server: TestServer
afterEach(() => server.close())

const machines = () => dataOf<MachineSummary[]>(server.request('/observability/machines'))

it('a server with a database of its own is its only machine', async () => {
  server = new TestServer()
  const before = Date.now()
  const [machine, ...others] = await machines()
  expect(others).toEqual([])
  expect(machine).toMatchObject({ id: `${hostname()}:${process.pid}`, executions: 0, self: true })
  expect(machine?.release).toMatch(/^\d+\.\d+\.\d+\S*\+[0-9a-f]{12}$/)
  expect(machine?.load).toBeGreaterThanOrEqual(0)
  expect(machine?.load).toBeLessThanOrEqual(1)
  expect(Date.parse(machine?.lastBeatAt ?? '')).toBeGreaterThanOrEqual(before)
})

it('a machine has the number of its running executions', async () => {
  server = new TestServer()
  const id = await server.startHeldExecution()
  expect(await machines()).toMatchObject([{ executions: 1 }])
  server.gate.open(id)
  await expect.poll(machines).toMatchObject([{ executions: 0 }])
})
