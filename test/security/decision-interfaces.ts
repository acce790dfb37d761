import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { andThen, createAgent, createMcpServer, createTool, createWorkflow } from 'agentserver'
import type { AgentServerConfig } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { z } from 'zod'
import type { EndpointKey } from '../../src/contract/index.ts'
import { sleep } from '../suites/engine/sample-steps.ts'
import { DEV, GuardedServer } from '../support/server/guarded-server.ts'
import { dataOf } from '../support/server/responses.ts'

type Headers = Readonly<Record<string, string>>

/** What workflows and tools declare about who decides. */
export interface Declared {
  readonly resumableBy?: 'others' | 'operators'
  readonly by?: 'others' | 'operators'
}

/** A server whose tools and steps count how often they ran after a decision. */
export class Desk {
  readonly server: GuardedServer
  /** The credentials of the user who asks. */
  readonly asker: Headers
  ran = 0
  /** How many forms were shown to users of MCP clients. */
  forms = 0
  #ids = 0

  constructor(config: Pick<AgentServerConfig, 'auth' | 'authNext'>, asker: Headers, declared: Declared = {}) {
    this.asker = asker
    this.server = new GuardedServer({ ...this.#parts(declared), ...config })
  }

  #parts({ resumableBy, by }: Declared): AgentServerConfig {
    const more = resumableBy && { resumableBy }
    const run = () => ++this.ran
    const inputSchema = z.object({})
    const refund = createTool({
      name: 'refund',
      description: 'Refunds',
      inputSchema,
      needsApproval: by ? { by } : true,
      callable: true,
      execute: run,
    })
    const book = createTool({
      name: 'book',
      description: 'Books for the seats of a form',
      inputSchema,
      execute: async (_, { elicit }) => {
        const form = await elicit?.({ message: 'Seats?', schema: z.object({ seats: z.number() }) })
        return form?.action === 'accept' ? run() : 'nothing'
      },
    })
    const locate = createTool({ name: 'locate', description: 'Locates the client', inputSchema })
    const question = createTool({
      name: 'question',
      description: 'Asks in its middle',
      inputSchema,
      execute: async (_, { step }) => {
        await step.suspend('ok', { resumeSchema: z.object({ ok: z.boolean() }) })
        return run()
      },
    })
    const tools = { refund, book, locate, question }
    const agents = Object.values(tools).map((tool) =>
      createAgent({
        id: tool.name,
        name: tool.name,
        instructions: ({ user }) => `Call the tool for ${user?.id}`,
        tools: [tool],
        resumable: tool === question,
        model: scriptedModel(
          [
            ({ prompt }) => {
              const last = JSON.stringify(prompt.at(-1))
              if (prompt.at(-1)?.role !== 'tool') return { toolCalls: [{ toolName: tool.name, input: {} }] }
              // the client has executed its tool, for whoever asked
              if (last.includes('Bern') && JSON.stringify(prompt).includes('for ada')) run()
              return 'Done'
            },
          ],
          { repeatLast: true },
        ),
      }),
    )
    const [refunder, , locator] = agents as [(typeof agents)[0], unknown, (typeof agents)[0]]
    const act = createTool({ name: 'act', description: 'Acts', inputSchema, execute: run })
    const repeated = createAgent({
      id: 'refund-twice',
      name: 'refund-twice',
      instructions: 'Refund, then act.',
      tools: [refund, act],
      resumable: true,
      model: scriptedModel(
        [
          ({ prompt }) => {
            const results = prompt.filter(({ role }) => role === 'tool').length
            const toolName = ['refund', 'act'][results]
            return toolName === undefined ? 'Done' : { toolCalls: [{ toolName, input: {} }] }
          },
        ],
        { repeatLast: true },
      ),
    })
    const workflows = [
      createWorkflow(
        { id: 'asks', ...more },
        andThen({
          id: 'ask',
          resumeSchema: z.object({ ok: z.boolean() }),
          execute: ({ resumeData, suspend }) => (resumeData ? run() : suspend('ok?')),
        }),
      ),
      createWorkflow({ id: 'refunds', ...more }).andAgent({
        id: 'answer',
        agent: refunder,
        prompt: 'Refund',
      }),
      // who may decide is declared by its tool alone
      createWorkflow({ id: 'refunds-twice' })
        .andAgent({ id: 'answer', agent: refunder, prompt: 'Refund' })
        .andThen({ id: 'act', execute: run }),
      createWorkflow({ id: 'locates', ...more }).andAgent({ id: 'answer', agent: locator, prompt: 'Locate' }),
      createWorkflow(
        { id: 'repeats', ...more },
        andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('ok?') }),
        andThen({ id: 'act', execute: run }),
      ),
    ]
    return {
      agents: [...agents, repeated],
      workflows,
      tools: Object.values(tools),
      mcpServers: [createMcpServer({ id: 'mcp', name: 'MCP', agents, workflows, tools: [refund, book] })],
    }
  }

  newId(): string {
    return `c${++this.#ids}`
  }

  ask<T>(path: string, json: object): Promise<T> {
    return dataOf<T>(this.server.request(path, { method: 'POST', headers: this.asker, json }))
  }

  async post(path: string, json: object, headers: Headers): Promise<void> {
    await (await this.server.request(path, { method: 'POST', headers, json })).text()
  }

  /** Calls a tool of the MCP server. The user of the client accepts every form. */
  async callMcp(name: string, args: Record<string, unknown>, headers: Headers): Promise<void> {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } })
    client.setRequestHandler('elicitation/create', ({ params }) => {
      this.forms++
      const { properties } = (params as { requestedSchema: { properties: object } }).requestedSchema
      const content =
        'approved' in properties ? { approved: true } : 'ok' in properties ? { ok: true } : { seats: 2 }
      return { action: 'accept', content }
    })
    const url = new URL('http://localhost:3141/mcp/mcp')
    const fetch = (target: string | URL, init?: RequestInit) => this.server.fetch(new Request(target, init))
    try {
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers }, fetch }))
      await client.callTool({ name, arguments: args })
    } catch {
      // the gate refuses the credentials
    } finally {
      await client.close()
    }
  }
}

interface WaitingRun {
  readonly id: string
  readonly approvals: readonly { readonly approvalId: string; readonly toolCallId: string }[]
}

interface WaitingExecution {
  readonly executionId: string
  readonly suspension: {
    readonly data: {
      readonly approvals: WaitingRun['approvals']
      readonly toolCalls: readonly { readonly toolCallId: string }[]
    }
  }
}

/** A way in which a decision reaches the server. */
export interface DecisionInterface {
  readonly action: string
  readonly over: string
  /** The endpoint, which declares that it `decides`. */
  readonly endpoint: EndpointKey
  /** Whoever asks decides in the same call: nobody else can. */
  readonly isOneCall?: true
  /** Makes what waits for a decision, as the user who asks. Returns how somebody decides. */
  readonly begin: (desk: Desk) => Promise<(as: Headers) => Promise<void>>
}

const APPROVAL = 'approve a tool call of an agent'
const STEP = 'approve a tool call of an agent step'
const OUTPUT = "return the output of a client's tool"
const DIRECT = 'approve a direct tool call'
const FORM = 'fill in the form of a tool'
const QUESTION = 'answer a question of a tool'
const RESUME = 'resume an execution'

const approving = ({ approvals }: Pick<WaitingRun, 'approvals'>, input?: object) => ({
  approvals: approvals.map(({ approvalId }) => ({ approvalId, approved: true, ...(input && { input }) })),
})
const runOf = (desk: Desk, agent: string) => desk.ask<WaitingRun>(`/agents/${agent}/text`, { input: 'Go' })
const executionOf = (desk: Desk, workflow: string) =>
  desk.ask<WaitingExecution>(`/workflows/${workflow}/execute`, { input: {} })
const resumes =
  (desk: Desk, workflow: string, { executionId }: WaitingExecution, resumeData: object) =>
  (as: Headers) =>
    desk.post(`/workflows/${workflow}/executions/${executionId}/resume`, { resumeData }, as)

/** Responds to a waiting run with approvals. */
const respond = (root: string, agent: string, input?: object) => async (desk: Desk) => {
  const run = await runOf(desk, agent)
  const path = `${root}/agents/${agent}/runs/${run.id}/approvals`
  return (as: Headers) => desk.post(path, approving(run, input), as)
}

/** Resumes a run whose tool waits in its middle. */
const answers = (root: string) => async (desk: Desk) => {
  const run = await runOf(desk, 'question')
  const path = `${root}/agents/question/runs/${run.id}/resume`
  return (as: Headers) => desk.post(path, { resumeData: { ok: true } }, as)
}

/** Sends the last message of a chat again, with what `part` makes of the tool call. */
const chats =
  (agent: string, part: (call: { toolCallId: string; approvalId: string | undefined }) => object) =>
  async (desk: Desk) => {
    const id = desk.newId()
    const path = `/agents/${agent}/chat`
    const user = { id: `${id}-user`, role: 'user', parts: [{ type: 'text', text: 'Go' }] }
    const asked = await desk.server.request(path, {
      method: 'POST',
      headers: desk.asker,
      json: { id, messages: [user] },
    })
    const text = await asked.text()
    const [, messageId] = /"messageId":"([^"]+)"/.exec(text) ?? []
    const [, toolCallId = ''] = /"toolCallId":"([^"]+)"/.exec(text) ?? []
    const [, approvalId] = /"approvalId":"([^"]+)"/.exec(text) ?? []
    const call = { type: `tool-${agent}`, toolCallId, input: {}, ...part({ toolCallId, approvalId }) }
    const messages = [user, { id: messageId, role: 'assistant', parts: [call] }]
    return (as: Headers) => desk.post(path, { id, messages }, as)
  }

const overA2a = async (desk: Desk) => {
  const send = (message: object, as: Headers) =>
    desk.server.request('/agents/refund/a2a', {
      method: 'POST',
      headers: { ...as, 'A2A-Version': '1.0' },
      json: {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: desk.newId(), role: 'ROLE_USER', ...message } },
      },
    })
  const asked = (await (await send({ parts: [{ text: 'Go' }] }, desk.asker)).json()) as {
    result: { task: { id: string; status: { message: { parts: { data: WaitingRun }[] } } } }
  }
  const { id: taskId, status } = asked.result.task
  const data = approving(status.message.parts[0]?.data ?? { approvals: [] })
  return async (as: Headers) => void (await (await send({ taskId, parts: [{ data }] }, as)).text())
}

const overAgUi = async (desk: Desk) => {
  const send = async (json: object, as: Headers) => {
    const threadId = `thread of ${desk.asker['authorization'] ?? 'nobody'}`
    const response = await desk.server.request('/agents/refund/ag-ui', {
      method: 'POST',
      headers: as,
      json: { threadId: threadId.slice(0, 256), runId: desk.newId(), ...json },
    })
    return response.text()
  }
  const messages = [{ id: 'm1', role: 'user', content: 'Go' }]
  const [, end = '{}'] = /data: (.*"RUN_FINISHED".*)/.exec(await send({ messages }, desk.asker)) ?? []
  const { outcome } = JSON.parse(end) as { outcome: { interrupts: { id: string }[] } }
  const resume = outcome.interrupts.map(({ id }) => ({
    interruptId: id,
    status: 'resolved',
    payload: { approved: true },
  }))
  return async (as: Headers) => void (await send({ messages, resume }, as))
}

const overMcp =
  (name: string, args: Record<string, unknown> = {}) =>
  async (desk: Desk) =>
  (as: Headers) =>
    desk.callMcp(name, args, as)

/** Every interface to a decision. */
export const INTERFACES: readonly DecisionInterface[] = [
  {
    action: APPROVAL,
    over: 'HTTP',
    endpoint: 'respondToRun',
    begin: respond('', 'refund'),
  },
  {
    action: APPROVAL,
    over: 'HTTP, console',
    endpoint: 'decideApprovals',
    begin: respond('/observability', 'refund'),
  },
  {
    action: APPROVAL,
    over: 'chat',
    endpoint: 'chat',
    begin: chats('refund', ({ approvalId }) => ({
      state: 'approval-responded',
      approval: { id: approvalId, approved: true },
    })),
  },
  { action: APPROVAL, over: 'A2A', endpoint: 'callA2a', begin: overA2a },
  { action: APPROVAL, over: 'AG-UI', endpoint: 'runAgUi', begin: overAgUi },
  {
    action: APPROVAL,
    over: 'MCP',
    endpoint: 'callMcpServer',
    isOneCall: true,
    begin: overMcp('ask_refund', { prompt: 'Go' }),
  },
  {
    action: STEP,
    over: 'HTTP',
    endpoint: 'resumeExecution',
    begin: async (desk) => {
      const waiting = await executionOf(desk, 'refunds')
      return resumes(desk, 'refunds', waiting, approving(waiting.suspension.data))
    },
  },
  {
    action: OUTPUT,
    over: 'chat',
    endpoint: 'chat',
    begin: chats('locate', () => ({ state: 'output-available', output: 'Bern' })),
  },
  {
    action: OUTPUT,
    over: 'HTTP, of an agent step',
    endpoint: 'resumeExecution',
    begin: async (desk) => {
      const waiting = await executionOf(desk, 'locates')
      const toolOutputs = waiting.suspension.data.toolCalls.map(({ toolCallId }) => ({
        toolCallId,
        output: 'Bern',
      }))
      return resumes(desk, 'locates', waiting, { toolOutputs })
    },
  },
  { action: FORM, over: 'HTTP', endpoint: 'respondToRun', begin: respond('', 'book', { seats: 2 }) },
  {
    action: FORM,
    over: 'MCP',
    endpoint: 'callMcpServer',
    isOneCall: true,
    begin: overMcp('book'),
  },
  { action: QUESTION, over: 'HTTP', endpoint: 'resumeRun', begin: answers('') },
  {
    action: QUESTION,
    over: 'HTTP, console',
    endpoint: 'resumeWaitingRun',
    begin: answers('/observability'),
  },
  {
    action: DIRECT,
    over: 'HTTP, `approve: true`',
    endpoint: 'executeTool',
    isOneCall: true,
    begin: async (desk) => (as) => desk.post('/tools/refund/execute', { input: {}, approve: true }, as),
  },
  {
    action: DIRECT,
    over: 'MCP',
    endpoint: 'callMcpServer',
    isOneCall: true,
    begin: overMcp('refund'),
  },
  {
    action: RESUME,
    over: 'HTTP',
    endpoint: 'resumeExecution',
    begin: async (desk) => resumes(desk, 'asks', await executionOf(desk, 'asks'), { ok: true }),
  },
  {
    action: RESUME,
    over: 'MCP',
    endpoint: 'callMcpServer',
    begin: async (desk) => {
      const { executionId } = await executionOf(desk, 'asks')
      return (as) => desk.callMcp('resume_asks', { executionId, resumeData: { ok: true } }, as)
    },
  },
  {
    action: RESUME,
    over: 'MCP, form',
    endpoint: 'callMcpServer',
    isOneCall: true,
    begin: overMcp('run_asks'),
  },
  {
    action: RESUME,
    over: 'signed link',
    endpoint: 'followLink',
    begin: async (desk) => {
      const { executionId } = await executionOf(desk, 'asks')
      const record = async () => {
        const path = `/workflows/asks/executions/${executionId}`
        const response = await desk.server.request(path, { headers: DEV })
        return ((await response.json()) as { data: { status: string; resumeUrl?: string } }).data
      }
      const { resumeUrl = 'http://localhost/links/none.none' } = await record()
      return async (as) => {
        await desk.post(new URL(resumeUrl).pathname, { resumeData: { ok: true } }, as)
        // the response does not wait for the execution
        while ((await record()).status === 'running') await sleep(5)
      }
    },
  },
  {
    action: 'replay from behind a resume',
    over: 'HTTP',
    endpoint: 'replayExecution',
    begin: async (desk) => {
      const waiting = await executionOf(desk, 'repeats')
      await resumes(desk, 'repeats', waiting, { ok: true })(DEV)
      desk.ran = 0
      const path = `/workflows/repeats/executions/${waiting.executionId}/replay`
      return (as) => desk.post(path, { stepId: 'act' }, as)
    },
  },
  {
    action: 'replay from behind an approval',
    over: 'HTTP',
    endpoint: 'replayExecution',
    begin: async (desk) => {
      const waiting = await executionOf(desk, 'refunds-twice')
      await resumes(desk, 'refunds-twice', waiting, approving(waiting.suspension.data))(DEV)
      desk.ran = 0
      const path = `/workflows/refunds-twice/executions/${waiting.executionId}/replay`
      return (as) => desk.post(path, { stepId: 'act' }, as)
    },
  },
  {
    action: 'replay an answer from behind an approval',
    over: 'HTTP',
    endpoint: 'replayRun',
    begin: async (desk) => {
      const run = await runOf(desk, 'refund-twice')
      const path = `agents/refund-twice/runs/${run.id}`
      await desk.post(`/observability/${path}/approvals`, approving(run), DEV)
      desk.ran = 0
      return (as) => desk.post(`/${path}/replay`, { stepId: 'model-2' }, as)
    },
  },
  {
    action: 'replay many from behind a resume',
    over: 'HTTP, console',
    endpoint: 'replayExecutions',
    begin: async (desk) => {
      const batch = desk.newId()
      const waiting = await desk.ask<WaitingExecution>('/workflows/repeats/execute', {
        input: {},
        options: { metadata: { batch } },
      })
      await resumes(desk, 'repeats', waiting, { ok: true })(DEV)
      desk.ran = 0
      return async (as) => {
        const json = { filter: { 'metadata.batch': batch }, stepId: 'act' }
        const reply = await desk.server.request('/workflows/executions/replay', {
          method: 'POST',
          headers: as,
          json,
        })
        const { data } = (await reply.json()) as { data?: { replayed: { executionId: string }[] } }
        for (const { executionId } of data?.replayed ?? [])
          await (
            await desk.server.request(`/observability/executions/${executionId}/stream`, { headers: DEV })
          ).text()
      }
    },
  },
]
