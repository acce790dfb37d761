import type { Client } from '@modelcontextprotocol/client'
import { createAgent, createMcpServer, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentAnswer, AgentRunRecord } from '../../../src/contract/endpoints/agent.ts'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { listening } from '../../support/server/listening.ts'
import { dataOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'

const ask = createTool({
  name: 'ask',
  description: 'Asks',
  inputSchema: z.object({}),
  execute: async (_, { step }) => {
    await step.suspend('sure', { reason: 'Is that all?' })
    const resumeSchema = z.object({ city: z.string().max(5) })
    return (await step.suspend('city', { data: { question: 'Where?' }, resumeSchema })).city
  },
})
const agent = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'x',
  tools: [ask],
  resumable: true,
  model: scriptedModel(
    [
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool'
          ? `Result: ${JSON.stringify(prompt.at(-1)?.content)}`
          : { toolCalls: [{ toolName: 'ask', input: {} }] },
    ],
    { repeatLast: true },
  ),
})
const desk = createMcpServer({ id: 'desk', name: 'Desk', agents: [agent] })
const server = new TestServer({ agents: [agent], mcpServers: [desk] })
const at = listening(server)

const clients: Client[] = []
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())))

interface Form {
  readonly message: string
  readonly requestedSchema: object
}

/** A client whose user answers forms with these answers in turn; without answers it can't show forms. */
async function clientThat(mode: 'legacy' | 'auto', answers?: object[]) {
  const capabilities = answers ? { elicitation: {} } : {}
  const client = await connectClient(at('/mcp/desk'), { mode, capabilities })
  clients.push(client)
  const forms: Form[] = []
  if (answers)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      forms.push(params as unknown as Form)
      return (answers.shift() ?? { action: 'cancel' }) as { action: 'cancel' }
    })
  const result = await client.callTool({ name: 'ask_clerk', arguments: { prompt: 'Hi' } })
  return { forms, text: JSON.stringify(result.content) }
}

const accept = (content: object) => ({ action: 'accept', content })
const newest = async () => {
  const [run] = await dataOf<AgentRunRecord[]>(server.request('/agents/clerk/history'))
  return run
}

describe.each(['legacy', 'auto'] as const)(
  'an agent whose tool waits in the middle, of an MCP client (%s)',
  (mode) => {
    it('shows forms to its user, and goes on with their data', async () => {
      const { forms, text } = await clientThat(mode, [accept({}), accept({ city: 'Bern' })])
      expect(forms).toMatchObject([
        { message: 'Clerk: Is that all?', requestedSchema: { properties: {} } },
        {
          message: expect.stringContaining('"question": "Where?"') as string,
          requestedSchema: { properties: { city: { type: 'string', maxLength: 5 } }, required: ['city'] },
        },
      ])
      expect(text).toContain('Bern')
      expect(await newest()).toMatchObject({ status: 'completed' })
    })

    it.each([
      ['does not accept the form', [accept({}), { action: 'decline' }]],
      ['can be shown no form', undefined],
    ])('says how it is resumed when its user %s', async (_, answers) => {
      const { text } = await clientThat(mode, answers)
      const run = await newest()
      const [wait] = run?.waits ?? []
      expect(text).toContain(`POST /agents/clerk/runs/${run?.id}/resume { stepId, resumeData }`)
      expect(text).toContain(`stepId: ${wait?.path}`)
      expect(text).toContain(answers ? 'Where?' : 'Is that all?')
      const body = { stepId: wait?.path, ...(answers && { resumeData: { city: 'Zug' } }) }
      const resumed = await server.post(`/agents/clerk/runs/${run?.id}/resume`, body)
      const answer = await dataOf<AgentAnswer>(resumed)
      expect(answer).toMatchObject(answers ? { finishReason: 'stop' } : { waits: [{ stepId: 'city' }] })
    })
  },
)
