// Runs the built package in a program, on Node, Bun or Deno: a workflow waits, resumes and completes over the handler that
// `createServer()` gives to other servers.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createWorkflow } from 'agentserver'
import { createServer } from 'agentserver/server'

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'agentserver-embedded-'))
const order = createWorkflow({
  id: 'order',
  run: async ({ input, step }) => {
    const paid = await step.run('pay', () => ({ paid: input.amount }))
    const { ok } = await step.suspend('approve', { reason: 'wait' })
    return { ...paid, ok }
  },
})
const server = createServer({
  workflows: [order],
  database: `file:${path.join(directory, 'embedded.db')}`,
})
const post = async (route, body) => {
  const headers = { 'Content-Type': 'application/json' }
  const request = new Request(`http://localhost${route}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const response = await server.fetch(request)
  return (await response.json()).data
}

const waiting = await post('/workflows/order/execute', { input: { amount: 40 } })
assert.equal(waiting.status, 'suspended')
const route = `/workflows/order/executions/${waiting.executionId}/resume`
const done = await post(route, { resumeData: { ok: true } })
assert.deepEqual(done.result, { paid: 40, ok: true })
await server.close()
fs.rmSync(directory, { recursive: true, force: true })
