import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completion, type ShownMessage, streamed } from '../../support/model/model-provider.ts'
import { CliProject } from '../../support/project/cli-project.ts'
import { until } from '../../support/until.ts'

/** The second guardrail never returns while the file `hold` names it; neither does the tool. */
const FILES = {
  'agentserver.config.ts': `
    import { appendFileSync, readFileSync } from 'node:fs'
    import { createAgent, createTool, createWorkflow, defineConfig, redactPatterns } from 'agentserver'
    import { z } from 'zod'

    const hold = async (place) => {
      appendFileSync('notes.log', place + '\\n')
      if (readFileSync('hold', 'utf8') === place) await new Promise(() => undefined)
    }
    const work = createTool({
      name: 'work',
      description: 'Works',
      inputSchema: z.object({}),
      execute: async () => {
        await hold('tool')
        return {}
      },
    })
    const seen = async ({ text }) => {
      await hold('guardrail')
      return text.includes('secret') ? { block: 'It is confidential' } : undefined
    }
    const common = {
      name: 'X',
      instructions: 'x',
      model: 'openai/test',
      tools: [work],
      guardrails: { output: [seen, redactPatterns(['card'])] },
    }
    const kept = createAgent({ ...common, id: 'kept', resumable: true })
    const plain = createAgent({ ...common, id: 'plain' })
    const flow = createWorkflow({ id: 'flow' })
      .andAgent({ id: 'ask', agent: plain, prompt: ({ data }) => data.run, map: ({ result }) => result })
    export default defineConfig({ agents: [kept, plain], workflows: [flow] })
  `,
  'notes.log': '',
  hold: '',
}

/** A model that says where to pay, calls a tool, and says it again, or what it must not. */
const model: Server = createServer((request, response) => {
  void (async () => {
    const { messages, stream = false } = (await json(request)) as {
      messages: ShownMessage[]
      stream?: boolean
    }
    const isFirst = !messages.some(({ role }) => role === 'tool')
    const isBlocked = JSON.stringify(messages).includes('blocked')
    const said = ['Pay ', 'with 4111 1111', ' 1111 1111. ', isBlocked ? 'The secret is 42.' : 'Thanks.']
    const calls = [{ id: 'call-1', name: 'work', input: {} }]
    const reply = stream ? streamed(isFirst ? calls : said) : completion(isFirst ? calls : said.join(''))
    if (reply.kind === 'json') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body))
    } else if (reply.kind === 'stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const chunk of reply.chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
      response.end('data: [DONE]\n\n')
    }
  })().catch(() => response.destroy())
})

let project: CliProject
const env = { OPENAI_API_KEY: 'local-key-0123456789', OPENAI_BASE_URL: '' }
beforeAll(async () => {
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
  env.OPENAI_BASE_URL = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`
})
afterAll(() => model.close().closeAllConnections())

/** All bytes of the database, which are those of any file of the project that the server has written. */
function stored(): string {
  const { root } = project
  // Node 24 follows the link to the packages
  const folders = readdirSync(root, { withFileTypes: true }).filter((one) => one.isDirectory())
  const files = [
    ...readdirSync(root, { withFileTypes: true }),
    ...folders.flatMap((one) =>
      readdirSync(path.join(root, one.name), { recursive: true, withFileTypes: true }),
    ),
  ]
  return files
    .filter((file) => file.isFile() && !(file.name in FILES))
    .map((file) => readFileSync(path.join(file.parentPath, file.name), 'latin1'))
    .join('\n')
}

describe.each(['tool', 'guardrail'])('kill -9 in a %s of an agent with output guardrails', (place) => {
  it('loses no check: nothing unseen is stored or sent, and each answer is checked', async () => {
    project = new CliProject(FILES)
    let server = await project.serve('start', { env })
    const sent: string[] = []
    const send = async (route: string, body?: object): Promise<string> => {
      const headers = { 'content-type': 'application/json' }
      const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : {}
      const response = await fetch(server.url + route, init)
      let text = ''
      try {
        for await (const part of response.body ?? []) text += Buffer.from(part as Uint8Array).toString()
      } finally {
        sent.push(text)
      }
      return text
    }
    const ask = (input: string) => {
      const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: input }] }]
      return [
        send('/agents/kept/text', { input, options: { conversationId: `text ${input}` } }),
        send('/agents/kept/chat', { id: `chat-${input}`, messages }),
        send('/workflows/flow/execute', { input: { run: input }, options: { executionId: `flow-${input}` } }),
      ]
    }
    const entered = () =>
      project
        .read('notes.log')
        .split('\n')
        .filter((line) => line === place).length
    try {
      project.write({ hold: place })
      const asked = Promise.allSettled([...ask('fine'), ...ask('blocked')])
      await until(() => entered() >= 6, 'all answers')
      await server.kill('SIGKILL')
      await asked
      expect(stored()).toContain('call-1')
      expect(stored() + sent.join('\n')).not.toMatch(/4111|secret/)
      project.write({ hold: '' })
      server = await project.serve('start', { env })
      try {
        const list = async (route: string) =>
          (JSON.parse(await send(route)) as { data: Record<string, unknown>[] }).data
        const history = () => list('/agents/kept/history?limit=100')
        await expect
          .poll(async () => (await history()).map(({ status }) => status), { timeout: 60_000 })
          .toEqual(Array.from({ length: 4 }, () => 'completed'))
        const fine = 'Pay with [card]. Thanks.'
        const results = (await history()).map(({ output, reason }) => String(reason ?? output))
        expect(results.toSorted((a, b) => a.localeCompare(b))).toEqual([
          'It is confidential',
          'It is confidential',
          fine,
          fine,
        ])
        const flows = () => list('/workflows/executions?status=completed')
        await expect.poll(flows, { timeout: 60_000 }).toHaveLength(2)
        const executed = JSON.stringify(await flows())
        for (const text of [fine, 'It is confidential']) expect(executed).toContain(text)
        for (const id of ['chat-fine', 'chat-blocked']) await send(`/agents/kept/chat/${id}/stream`)
        for (const id of ['chat-fine', 'text%20fine']) await send(`/agents/kept/conversations/${id}/messages`)
        await send('/observability/traces?limit=100')
      } finally {
        await server.kill('SIGKILL')
      }
      expect(stored()).toContain('[card]')
      expect(stored() + sent.join('\n')).not.toMatch(/4111|secret/)
      expect(sent.join('\n')).toContain('[card]')
    } finally {
      await project.end()
    }
  }, 120_000)
})
