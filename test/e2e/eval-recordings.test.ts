import fs from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { KEY, NO_MODEL } from '../support/model/model-env.ts'
import {
  completion,
  ModelProvider,
  type ProviderReply,
  refusal,
  type ShownMessage,
} from '../support/model/model-provider.ts'
import { CliProject } from '../support/project/cli-project.ts'

const CONFIG = `
  import { createAgent, createTool, defineConfig } from 'agentserver'
  import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
  import { z } from 'zod'
  const add = createTool({
    name: 'add', description: 'Adds', inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  })
  const instructions = 'Add with the tool.'
  // without a model: the environment selects one
  const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions, tools: [add] })
  // a model object of a package
  const provider = createOpenAICompatible({ name: 'own', baseURL: process.env.OPENAI_BASE_URL ?? 'http://127.0.0.1:9' })
  const own = createAgent({ id: 'own', name: 'Own', instructions, model: provider.chatModel('own-1') })
  const fallback = createAgent({
    id: 'fallback', name: 'Fallback', instructions, model: ['openai/gpt-down', 'openai/gpt-4.1'],
  })
  export default defineConfig({ agents: [clerk, own, fallback] })
`
const EVAL = `
  import { contains, createEval, llmJudge, toolCalls } from 'agentserver'
  export default createEval({
    id: 'sums', target: { agent: 'clerk' }, cases: 'cases/sums/*.json', threshold: 0.5,
    scorers: [toolCalls(['add']), contains(), llmJudge({ criteria: 'Right.', model: 'openai/gpt-4.1-mini' })],
  })
`
const json = (value: unknown) => JSON.stringify(value)

/** A model that follows its instructions, and answers differently each time. */
function model(): (body: Readonly<Record<string, unknown>>) => ProviderReply {
  let calls = 0
  return (body) => {
    const call = ++calls
    const messages = body['messages'] as readonly ShownMessage[]
    const [system, user] = [messages[0]?.content, messages.find(({ role }) => role === 'user')?.content]
    const last = messages.at(-1)
    if (body['model'] === 'gpt-down') return refusal(503, 'down', { 'retry-after-ms': '0' })
    if (body['response_format']) return completion(json({ score: 1 / call, reason: `call ${call}` }))
    if (last?.role === 'tool') return completion(`${String(last.content)} (${call})`)
    if (body['tools'] === undefined || !/tool/.test(String(system))) return completion(`6 (${call})`)
    const [a = 0, b = 0] = (String(user).match(/\d+/g) ?? []).map(Number)
    return completion([{ id: `call_${call}_${Math.random()}`, name: 'add', input: { a, b } }])
  }
}

describe('eval --record and --replay', () => {
  const provider = new ModelProvider()
  let url = ''
  const project = new CliProject({
    'agentserver.config.ts': CONFIG,
    'src/sums.eval.ts': EVAL,
    ...Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((n) => [
        `cases/sums/${n}.json`,
        // cases with the same calls, which run at the same time
        json({
          target: { agent: 'clerk' },
          input: `What is ${n % 2} plus 2?`,
          expected: String((n % 2) + 2),
        }),
      ]),
    ),
    'cases/others/own.json': json({
      target: { agent: 'own' },
      input: 'Hi',
      expected: '6',
      scorers: ['contains'],
    }),
    'cases/others/fallback.json': json({
      target: { agent: 'fallback' },
      input: 'Hi',
      expected: '6',
      scorers: ['contains'],
    }),
  })
  const withKey = () => ({ env: { ...NO_MODEL, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url } })
  const record = (...args: string[]) => project.run(['eval', ...args, '--record'], withKey())
  const replay = (...args: string[]) => project.run(['eval', ...args, '--replay'], { env: NO_MODEL })
  const recordings = () =>
    fs
      .readdirSync(project.path('cases/.recordings'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .toSorted()
  const recording = (part: string) => `cases/.recordings/${recordings().find((name) => name.includes(part))}`

  beforeAll(async () => {
    url = await provider.listen()
  })
  beforeEach(() => provider.respond(model()))
  afterAll(async () => {
    provider.close()
    await project.end()
  })

  it('answers like the recorded models, without a key and with the same bytes each time', async () => {
    const recorded = await record('--repeat', '3', '--json')
    expect(recorded.exitCode).toBe(0)
    expect(recorded.stderr).toContain(`Wrote ${recordings().length} recordings to cases/.recordings`)
    expect(project.read(recording('sums/sums/1/clerk.'))).not.toContain(KEY)
    const calls = provider.calls.length
    const [first, second] = [await replay('--repeat', '3', '--json'), await replay('--repeat', '3', '--json')]
    expect(first.exitCode).toBe(0)
    expect(first.stderr).not.toContain('not used')
    expect(second.stdout).toBe(first.stdout)
    // prices apart: the model of the test is a self-hosted one while it is recorded
    const outputs = ({ stdout }: { stdout: string }) =>
      JSON.parse(stdout, (key, value: unknown) => (key === 'costUsd' ? null : value)) as unknown
    expect(outputs(first)).toEqual(outputs(recorded))
    expect(provider.calls.length).toBe(calls)
  })

  it('is refused for a call that is not recorded: case, agent, model and file are named', async () => {
    project.write({ 'agentserver.config.ts': CONFIG.replace('Add with the tool', 'Add with your tool') })
    const { exitCode, stderr, stdout } = await replay('cases/sums/1.json', '--json')
    project.write({ 'agentserver.config.ts': CONFIG })
    expect(exitCode).toBe(2)
    expect(stdout + stderr).toMatch(
      /cases\/sums\/1\.json: the answer of openai\/gpt-4\.1-mini to agent .{1,2}clerk.{1,2} is not recorded: there is no cases\/\.recordings\/sums\/sums\/1\/clerk\.openai-gpt-4\.1-mini\.[0-9a-f]{12}\.json/,
    )
    expect(stdout).toContain('at /prompt/0/content: expected \\"Add with the tool.\\", got')
    expect((await replay('cases/sums/1.json', '--repeat', '4')).stderr).toContain('has 3 answers')
  })

  it('is refused for a recording of another model, which is named', async () => {
    const env = { ...NO_MODEL, AGENTSERVER_MODEL: 'openai/gpt-5' }
    const other = await project.run(['eval', 'cases/sums/1.json', '--replay'], { env })
    expect(other.exitCode).toBe(2)
    expect(other.stderr).toMatch(
      /cases\/sums\/1\.json: \S+ is a recording of openai\/gpt-4\.1-mini, but agent "clerk" calls openai\/gpt-5/,
    )
    const file = recording('others/own/own.')
    const text = project.read(file)
    project.write({ [file]: text.replace('own.chat/own-1', 'own.chat/own-2') })
    const changed = await replay()
    project.write({ [file]: text })
    expect(changed.exitCode).toBe(2)
    expect(changed.stderr).toContain(`${file} was renamed or changed`)
  })

  it.each(['{', '{"agent":1}'])('is refused for the broken file %s, which is named', async (broken) => {
    const file = recording('others/own/own.')
    const text = project.read(file)
    project.write({ [file]: broken })
    const { exitCode, stderr } = await replay('cases/others/own.json')
    project.write({ [file]: text })
    expect(stderr).toContain(`${file} is not a recording: `)
    expect(exitCode).toBe(2)
  })

  it('are one or the other', async () => {
    expect(await record('--replay')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--record and --replay exclude each other'),
    })
  })

  it('replaces the recordings of a case, and deletes those that no case uses', async () => {
    const before = recordings()
    const stale = recording('sums/sums/1/clerk.')
    project.write({ 'agentserver.config.ts': CONFIG.replace('Add with the tool', 'Use a tool to add') })
    project.delete('cases/sums/6.json')
    const some = await record('cases/sums/1.json')
    expect(some.stderr).toMatch(/Wrote 3 recordings to cases\/\.recordings, and deleted \d recordings that/)
    expect(fs.existsSync(project.path(stale))).toBe(false)
    expect((await replay('cases/sums/1.json')).exitCode).toBe(0)
    const all = await record()
    expect(all.stderr).toContain(`Wrote ${recordings().length} recordings`)
    expect(recordings().some((name) => name.startsWith('sums/sums/6/'))).toBe(false)
    expect(recordings().length).toBeLessThan(before.length)
    project.write({ 'cases/.recordings/old/x.openai-y.0123456789ab.json': project.read(recording('/own.')) })
    expect((await replay()).stderr).toContain('cases/.recordings/old/x.openai-y.0123456789ab.json')
    await record()
    expect(fs.existsSync(project.path('cases/.recordings/old'))).toBe(false)
  })

  it('keeps the recordings of a case that fails before it calls its model', async () => {
    const before = recordings()
    const { exitCode } = await project.run(['eval', 'cases/others/fallback.json', '--record'], {
      env: NO_MODEL,
    })
    expect(exitCode).toBe(1)
    expect(recordings()).toEqual(before)
  })

  it('fails when the answers of a worse prompt do, recorded or not', async () => {
    project.write({ 'agentserver.config.ts': CONFIG.replace('Add with the tool', 'Guess') })
    expect((await record('cases/sums/*.json')).exitCode).toBe(1)
    const worse = await replay('cases/sums/*.json')
    expect(worse.stdout).toContain('toolCalls 0.00')
    expect(worse.exitCode).toBe(1)
  })
})

describe('cases with the same calls at the same time', () => {
  const provider = new ModelProvider()
  const cases = ['1', '2', '3', '4', '5', '6']
  const project = new CliProject({
    'agentserver.config.ts': `
      import { andAgent, createAgent, createWorkflow, defineConfig } from 'agentserver'
      import { z } from 'zod'
      const model = 'openai/gpt-4.1'
      const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Number', model })
      const late = createAgent({ id: 'late', name: 'Late', instructions: 'Never', model })
      const ask = (id, agent = clerk) => ({
        id, agent, prompt: () => 'Same', schema: z.object({ n: z.number() }),
        map: ({ data, result }) => ({ ...data, [id]: result.object.n }),
      })
      const child = createWorkflow({ id: 'child', inputSchema: z.object({}) }).andAgent(ask('child'))
      // executions that wait for each other, sleep, are resumed, start others, and abort what loses a race
      const flow = createWorkflow({ id: 'flow', inputSchema: z.object({}), concurrency: { limit: 1 } })
        .andAgent(ask('first'))
        .andSleep({ id: 'nap', for: 1 })
        .andThen({ id: 'approve', resumeSchema: z.object({}),
          execute: ({ data, resumeData, suspend }) => (resumeData ? data : suspend('wait')) })
        .andThen({ id: 'start', execute: async ({ data }) => {
          const { result } = await child.execute({})
          return { ...data, ...result }
        } })
        .andRace({ id: 'race', steps: [andAgent(ask('fast')), andAgent(ask('slow', late))] })
      export default defineConfig({ workflows: [flow, child], agents: [clerk, late] })`,
    ...Object.fromEntries(
      cases.map((name) => [
        `cases/flow/${name}.json`,
        json({ target: { workflow: 'flow' }, input: {}, resume: [{}], scorers: [{ maxSteps: 99 }] }),
      ]),
    ),
  })
  afterAll(async () => {
    provider.close()
    await project.end()
  })

  it('each get their own answers again', async () => {
    const url = await provider.listen()
    let calls = 0
    provider.respond(({ messages }) =>
      json(messages).includes('Never') ? { kind: 'hang' } : completion(json({ n: ++calls })),
    )
    const env = { ...NO_MODEL, OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url }
    const recorded = await project.run(['eval', '--record', '--json'], { env })
    expect(recorded.stderr).toContain(`Wrote ${2 * cases.length} recordings`)
    expect(calls).toBe(3 * cases.length)
    const replayed = await project.run(['eval', '--replay', '--json'], { env: NO_MODEL })
    const outputs = ({ stdout }: { stdout: string }) =>
      (
        JSON.parse(stdout) as { evals: { cases: { output: Record<string, number> }[] }[] }
      ).evals[0]?.cases.map(({ output }) => output)
    expect(replayed.exitCode).toBe(0)
    expect(outputs(replayed)).toEqual(outputs(recorded))
    const numbers = outputs(recorded)?.flatMap((output) => Object.values(output))
    expect(new Set(numbers).size).toBe(3 * cases.length)
  })
})
