import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DevProject } from '../support/project/dev-project.ts'
import { fileURLToPath } from 'node:url'
import { BIN } from '../support/process/command-here.ts'
import { until } from '../support/until.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

interface Answer {
  readonly isError: boolean
  readonly text: string
  /** The JSON of the text. */
  readonly value: any
}

/** A coding agent's connection: `agentserver mcp`, and the SDK's client. */
class Agent {
  readonly #client = new Client({ name: 'scripted', version: '1' })

  async connect(cwd: string, args: readonly string[] = []): Promise<void> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp', ...args],
      cwd,
      env: { ...(process.env as Record<string, string>), NODE_ENV: 'development' },
    })
    await this.#client.connect(transport)
  }

  async tools(): Promise<string[]> {
    return (await this.#client.listTools()).tools.map(({ name }) => name)
  }

  async call(name: string, input: Record<string, unknown> = {}): Promise<Answer> {
    const { content, isError = false } = await this.#client.callTool({ name, arguments: input })
    const { text } = content[0] as { text: string }
    return { isError, text, value: isError ? undefined : JSON.parse(text) }
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

function filesOf(template: string): Record<string, string> {
  const root = path.join(REPOSITORY, 'templates', template)
  const names = fs.readdirSync(root, { recursive: true, encoding: 'utf8' })
  const sources = names.filter((name) => /^(?:src[/\\].*|agentserver\.config)\.ts$/.test(name))
  return Object.fromEntries(sources.map((name) => [name, fs.readFileSync(path.join(root, name), 'utf8')]))
}

/** A template that is served, with an agent beside it. */
function served(template: string): { readonly project: () => DevProject; readonly agent: () => Agent } {
  let project: DevProject
  const agent = new Agent()
  beforeAll(async () => {
    project = new DevProject(filesOf(template))
    await project.start()
    await agent.connect(project.root)
  })
  afterAll(async () => {
    await agent.close()
    await project.end()
  })
  return { project: () => project, agent: () => agent }
}

interface Fault {
  readonly title: string
  readonly file: string
  readonly good: string
  readonly bad: string
}

/** A fault that keeps the code from loading. */
interface LoadFault extends Fault {
  /** A part of the message. */
  readonly says: string
}

/** A fault that makes an execution fail. */
interface RunFault extends Fault {
  readonly workflowId: string
  readonly input: unknown
  /** Data for the wait before the failure. */
  readonly resumeData?: unknown
  /** What tells the place: the text of the line in the frame, or a part of the message. */
  readonly says: string
  readonly ends?: string
}

const ORDER = { orderId: 'A-1', email: 'ada@example.com', items: [{ sku: 'mug', quantity: 2 }] }
const EXPENSE = {
  employee: 'ada@example.com',
  manager: 'grace@example.com',
  purpose: 'Books',
  items: [{ what: 'Book', cents: 4200 }],
}

const order = { workflowId: 'order', input: ORDER } as const

const LOAD_FAULTS: readonly LoadFault[] = [
  {
    title: 'a missing parenthesis',
    file: 'src/services/prices.ts',
    good: 'Math.round(netCents * TAX_RATE) }',
    bad: 'Math.round(netCents * TAX_RATE }',
    says: 'netCents * TAX_RATE }',
  },
  {
    title: 'an import of a file that does not exist',
    file: 'src/workflows/order.ts',
    good: './customer-brief.ts',
    bad: './customer-breif.ts',
    says: 'customer-breif.ts',
  },
  {
    title: 'a step id that is used twice',
    file: 'src/workflows/order.ts',
    good: `id: 'total'`,
    bad: `id: 'validate'`,
    says: 'validate',
  },
  {
    title: 'a configuration without its export',
    file: 'agentserver.config.ts',
    good: 'export default',
    bad: 'export const config =',
    says: 'has no default export',
  },
]

const BASIC: readonly RunFault[] = [
  {
    ...order,
    title: 'a comparison with a member that does not exist',
    file: 'src/services/catalogue.ts',
    good: 'candidate.sku === sku',
    bad: '(candidate as any).id === sku',
    says: '(candidate as any).id === sku',
  },
  {
    ...order,
    title: 'a member of undefined',
    file: 'src/services/prices.ts',
    good: 'lines.reduce(',
    bad: '(lines as any).all.reduce(',
    says: '(lines as any).all.reduce(',
  },
  {
    ...order,
    title: 'a payment that is never found again',
    file: 'src/services/payments.ts',
    good: 'if (known) return known',
    bad: 'if (!known) receipts.clear()',
    says: 'receipts.set(request.idempotencyKey',
  },
  {
    ...order,
    title: 'a typo in the step after parallel ones',
    file: 'src/workflows/order.ts',
    good: 'price.netCents + price.taxCents',
    bad: '(price as any).net.cents + price.taxCents',
    says: '(price as any).net.cents',
  },
  {
    ...order,
    title: 'a result that does not fit its schema',
    file: 'src/workflows/order.ts',
    good: `('shipped' as const)`,
    bad: `('sent' as any)`,
    says: 'status',
  },
  {
    ...order,
    title: 'an error in a child workflow',
    file: 'src/workflows/ship-order.ts',
    good: 'sum + parcel.grams',
    bad: 'sum + (parcel as any).weight.grams',
    says: `weight`,
  },
]

const APPROVAL: readonly RunFault[] = [
  {
    workflowId: 'expense',
    input: EXPENSE,
    title: 'a list under another name',
    file: 'src/workflows/expense.ts',
    good: 'data.items.reduce(',
    bad: '(data as any).lines.reduce(',
    says: '(data as any).lines.reduce(',
    ends: 'suspended',
  },
  {
    workflowId: 'expense',
    input: EXPENSE,
    resumeData: { approved: true, by: 'grace@example.com' },
    title: 'an error after a person has decided',
    file: 'src/workflows/policy.ts',
    good: 'if (decisions.some(',
    bad: 'if ((decisions as any).one.some(',
    says: '(decisions as any).one.some(',
    ends: 'suspended',
  },
]

async function pinsOf({ server }: DevProject): Promise<string[]> {
  const { data } = await server.get('/observability/pins')
  return data.pins.map((pin: { executionId: string }) => pin.executionId)
}

/** Finds the place of a failed execution with the tools alone. */
async function findFailure(agent: Agent, { workflowId, input, resumeData }: RunFault) {
  const started = await agent.call('run_workflow', { workflowId, input })
  if (resumeData !== undefined) {
    expect(started.value).toMatchObject({ status: 'suspended' })
    const resumed = await agent.call('resume', { executionId: started.value.executionId, resumeData })
    expect(resumed.isError).toBe(true)
  } else expect(started.isError).toBe(true)
  const { value: found } = await agent.call('failures', { limit: 5 })
  const newest = found.executions.find((one: { workflowId: string }) => one.workflowId === workflowId)
  const { value: record } = await agent.call('read_execution', { executionId: newest.id })
  return { executionId: newest.id as string, record }
}

function itIsFoundAndFixed(
  { project, agent }: ReturnType<typeof served>,
  fault: RunFault,
  isSavedFirst: boolean,
): void {
  it(`find ${fault.title}, and run the failed step again once it is fixed`, async () => {
    const { file, good, bad, says, ends = 'completed' } = fault
    const text = project().read(file)
    await project().outcomeOf({ [file]: text.replace(good, () => bad) })
    const { executionId, record } = await findFailure(agent(), fault)
    expect(record.status).toBe('error')
    expect(JSON.stringify([record.error, record.steps])).toContain(says)
    const fix = () => project().edit(file, bad, good)
    const rerun = () => agent().call('rerun_on_save', { executionId })
    let answer: Answer
    if (isSavedFirst) {
      fix()
      answer = await rerun()
    } else {
      const waiting = rerun()
      await until(async () => (await pinsOf(project())).includes(executionId), 'the pin')
      fix()
      answer = await waiting
    }
    expect(answer.value).toMatchObject({ outcome: ends, replayExecutionId: expect.any(String) })
    if (fault.resumeData !== undefined) {
      const { replayExecutionId } = answer.value
      const resumed = await agent().call('resume', {
        executionId: replayExecutionId,
        resumeData: fault.resumeData,
      })
      expect(resumed.value).toMatchObject({ status: 'completed' })
    }
    await fetch(new URL(`/observability/pins/${executionId}`, project().server.url), { method: 'DELETE' })
  })
}

describe('the tools for coding agents, in the template basic', () => {
  const basic = served('basic')

  it.each(LOAD_FAULTS)('find $title, and see that it is fixed', async ({ file, good, bad, says }) => {
    const { project, agent } = basic
    const text = project().read(file)
    await project().outcomeOf({ [file]: text.replace(good, () => bad) })
    const { value: broken } = await agent().call('failures')
    expect(JSON.stringify(broken.loadError)).toContain(says)
    await project().outcomeOf({ [file]: text })
    const { value: fixed } = await agent().call('failures')
    expect(fixed.loadError).toBe(null)
  })

  for (const [index, fault] of BASIC.entries()) itIsFoundAndFixed(basic, fault, index % 2 === 0)
})

describe('the tools for coding agents, in the template approval', () => {
  const approval = served('approval')
  for (const [index, fault] of APPROVAL.entries()) itIsFoundAndFixed(approval, fault, index % 2 === 0)
})

describe('agentserver mcp', () => {
  const project = new DevProject(filesOf('basic'))
  afterAll(() => project.end())

  it('lists its tools and answers from the documentation without a server, and says how to start one', async () => {
    const agent = new Agent()
    await agent.connect(project.root)
    expect(await agent.tools()).toEqual(expect.arrayContaining(['failures', 'rerun_on_save', 'docs']))
    const { value } = await agent.call('docs', { question: 'how do I retry a step' })
    expect(value.page).toBe('docs/guides/retries-and-idempotency.md')
    const { value: page } = await agent.call('docs', { page: 'docs/guides/hot-reload.md#errors' })
    expect(page.text).toMatch(/^# Hot reload/)
    for (const outside of ['docs/../package.json', 'docs/nope.md', '/etc/passwd'])
      expect(await agent.call('docs', { page: outside })).toMatchObject({ isError: true })
    expect(await agent.call('failures')).toMatchObject({
      isError: true,
      text: expect.stringContaining('Start `agentserver dev`'),
    })
    await agent.close()
  })

  it('has no tools that start or change something with --read-only', async () => {
    const agent = new Agent()
    await agent.connect(project.root, ['--read-only'])
    expect(await agent.tools()).toEqual([
      'list',
      'failures',
      'read_execution',
      'read_trace',
      'search',
      'logs',
      'check',
      'docs',
    ])
    await expect(agent.call('run_workflow', { workflowId: 'order', input: {} })).rejects.toThrow(/not found/)
    await agent.close()
  })
})
