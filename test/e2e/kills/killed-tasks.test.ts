import { afterEach, expect, it } from 'vitest'
import { openTaskSession } from '../../support/clients/task-session.ts'
import { CliProject } from '../../support/project/cli-project.ts'
import type { RunningServer } from '../../support/project/cli-project.ts'
import { until } from '../../support/until.ts'

/** A workflow whose second step, and an agent whose tool, wait for the file `gate`; the workflow then requests data. */
const FILES = {
  'agentserver.config.ts': `
    import { appendFileSync, existsSync } from 'node:fs'
    import { createAgent, createMcpServer, createTool, createWorkflow, defineConfig } from 'agentserver'
    import { scriptedModel } from 'agentserver/testing'
    import { z } from 'zod'

    const note = (text) => appendFileSync('notes.log', text + '\\n')
    const gate = async (text) => {
      note(text)
      while (!existsSync('gate')) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const order = createWorkflow({ id: 'order', name: 'Order' })
      .andThen({ id: 'charge', execute: () => {
        note('charge')
        return { charged: true }
      } })
      .andThen({ id: 'ship', execute: async ({ data }) => {
        await gate('ship')
        return data
      } })
      .andThen({
        id: 'sign',
        resumeSchema: z.object({ name: z.string() }),
        execute: ({ data, resumeData, suspend }) => resumeData ? { ...data, ...resumeData } : suspend('Who signs?'),
      })
    const look = createTool({
      name: 'look', description: 'Looks', inputSchema: z.object({}),
      execute: async () => {
        await gate('look')
        return 'found'
      },
    })
    const clerk = createAgent({
      id: 'clerk', name: 'Clerk', instructions: 'x', resumable: true, tools: [look],
      model: scriptedModel([
        ({ prompt }) => prompt.at(-1)?.role === 'tool' ? 'At your service' : { toolCalls: [{ toolName: 'look', input: {} }] },
      ], { repeatLast: true }),
    })
    export default defineConfig({
      mcpServers: [createMcpServer({ id: 'desk', name: 'Desk', workflows: [order], agents: [clerk] })],
    })
  `,
  'notes.log': '',
}

let project: CliProject
afterEach(() => project.end())

it('a client of MCP polls on after kill -9 of the server, and gets the results of its tasks', async () => {
  project = new CliProject(FILES)
  let server: RunningServer = await project.serve('start')
  const { port } = new URL(server.url)
  const options = {
    url: `${server.url}/mcp/desk`,
    onInputRequest: (async () => ({ action: 'accept', content: { name: 'Ada' } })) as never,
  }
  const first = await openTaskSession(options)
  const started = [
    await first.session.callTool('run_order'),
    await first.session.callTool('ask_clerk', { prompt: 'Hello' }),
  ]
  const references = started.map((one) => one.kind === 'task' && one.serializeReference())
  const notes = () => project.read('notes.log').trim().split('\n')
  await until(() => notes().includes('ship') && notes().includes('look'), 'both tasks')
  await server.kill('SIGKILL')
  await Promise.allSettled([first.session.close(), first.client.close()])
  server = await project.serve('start', { args: ['--port', port] })
  project.write({ gate: '' })
  const second = await openTaskSession(options)
  const results = await Promise.all(
    references.map(async (reference) => {
      if (!reference) throw new Error('No task')
      const task = await second.session.resumeTask(reference)
      return (await task.settle()).outcome
    }),
  )
  expect(results).toMatchObject([
    {
      status: 'completed',
      result: { structuredContent: { status: 'completed', result: { charged: true, name: 'Ada' } } },
    },
    { status: 'completed', result: { content: [{ text: 'At your service' }] } },
  ])
  expect(notes().filter((note) => note === 'charge')).toHaveLength(1)
  await Promise.allSettled([second.session.close(), second.client.close()])
}, 120_000)
