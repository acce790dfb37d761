import { createAgent, createTool, createWorkflow, demoModel } from 'agentserver'
import { createClient } from 'agentserver/client'
import { scriptedModel } from 'agentserver/testing'
import fs from 'node:fs'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Case } from '../../src/contract/evals/case.ts'
import type { KeptCase } from '../../src/contract/endpoints/project/kept-cases.ts'
import type { ExecutionResult } from '../../src/contract/event.ts'
import { equals } from '../../src/evals/scorers/output-scorers.ts'
import { runCase } from '../../src/evals/run/run-case.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { Pins } from '../../src/server/dev/pins.ts'
import { TempProject } from '../support/project/temp-project.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const SECRET = 'sk-proj-abcdefghijklmnop1234567890'

const twice = createWorkflow({
  id: 'twice',
  inputSchema: z.object({ amount: z.number(), apiKey: z.string() }),
})
  .andThen({
    id: 'first',
    execute: ({ data, resumeData, suspend }) =>
      resumeData ? { ...data, first: resumeData } : suspend('first'),
  })
  .andThen({
    id: 'second',
    execute: ({ data, resumeData, suspend, executionId }) =>
      resumeData
        ? {
            first: data.first,
            second: resumeData,
            at: new Date().toISOString(),
            ms: Date.now(),
            id: executionId,
            due: '2030-01-01T00:00:00Z',
          }
        : suspend('second'),
  })
const outer = createWorkflow({
  id: 'outer',
  inputSchema: z.object({ amount: z.number(), apiKey: z.string() }),
})
  .andWorkflow({ id: 'inner', workflow: twice })
  .andThen({
    id: 'then',
    execute: ({ data, resumeData, suspend }) => (resumeData ? { data, resumeData } : suspend('third')),
  })
const waits = createWorkflow({ id: 'waits' })
  .andWaitForEvent({ id: 'paid', event: 'paid', key: ({ data }) => String((data as { key: string }).key) })
  .andSleep({ id: 'night', for: '8h' })
const fails = createWorkflow({ id: 'fails' }).andThen({
  id: 'break',
  execute: (): number => {
    throw new Error('no')
  },
})
const refund = createTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: ({ amount }) => ({ refunded: amount }),
})
const turns = () =>
  scriptedModel(
    [
      ({ prompt }) => {
        const last = prompt.at(-1)
        if (last?.role !== 'tool') return { toolCalls: [{ toolName: 'refund', input: { amount: 250 } }] }
        return JSON.stringify(last.content).includes('denied') ? 'Denied' : 'Refunded'
      },
    ],
    { repeatLast: true },
  )
const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'x', tools: [refund], model: turns() })
const finder = createAgent({
  id: 'finder',
  name: 'Finder',
  instructions: 'x',
  model: scriptedModel(['{"city":"Oslo"}'], { repeatLast: true }),
})
const block = () => ({ block: 'too friendly' })
const guarded = (id: string, guardrails: object) =>
  createAgent({ id, name: id, instructions: 'x', model: demoModel(), guardrails })
const inStep = createAgent({ id: 'in-step', name: 'In a step', instructions: 'x', model: demoModel() })
const asks = createWorkflow({ id: 'asks' })
  .andAgent({ id: 'clerk', agent: clerk, prompt: () => 'Refund it' })
  .andAgent({ id: 'hidden', agent: inStep, prompt: () => 'Hello' })

const echo = createWorkflow({ id: 'echo' }).andThen({ id: 'echo', execute: ({ data }) => data })
const workflows = [twice, outer, waits, fails, asks, echo]
const config = {
  workflows,
  agents: [clerk, finder, guarded('shy', { output: [block] }), guarded('guarded-input', { input: [block] })],
}

function serverIn(project: TempProject, isDev = true): TestServer {
  const options = {
    root: project.root,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
    onReplayed: () => undefined,
  }
  return new TestServer(config, { root: project.root, ...(isDev && { pins: new Pins(options) }) })
}

const project = new TempProject()
const server = serverIn(project)
const client = createClient({ baseUrl: 'http://localhost', fetch: server.fetch })
afterAll(async () => {
  await server.close()
  project.remove()
})

const resume = ({ executionId }: ExecutionResult, workflow: string, resumeData?: unknown) =>
  dataOf<ExecutionResult>(
    server.post(`/workflows/${workflow}/executions/${executionId}/resume`, { resumeData }),
  )
const caseOf = (path: string) => dataOf<KeptCase>(server.request(`/observability/${path}/case`))

async function finished(): Promise<ExecutionResult> {
  const started = await server.execute(
    'twice',
    { amount: 5, apiKey: 'k-1' },
    { context: { region: 'eu' }, userId: 'ada' },
  )
  await resume(started, 'twice', { ok: true, token: 'abc' })
  return resume(started, 'twice', 'yes')
}

const approvalsIn = ({ suspension }: ExecutionResult) =>
  (suspension?.data as { approvals: { approvalId: string }[] } | undefined)?.approvals ?? []

/** Runs a case as `agentserver eval` does. */
const scoreOf = async (tested: Case, on = server) => {
  const client = createClient({ baseUrl: 'http://localhost', fetch: on.fetch })
  const { signal } = new AbortController()
  const { score, scores, error } = await runCase(
    client.api,
    { id: 'x', case: tested, scorers: [equals()] },
    signal,
  )
  return { score, error, reason: scores[0]?.reason }
}
const PASSED = { score: 1, error: undefined, reason: undefined }

describe('the case of an execution', () => {
  it('has its input, resume data and output without secrets, and passes', async () => {
    const { executionId } = await finished()
    const kept = await caseOf(`executions/${executionId}`)
    expect(kept).toMatchObject({
      path: `cases/twice/${executionId}.json`,
      exists: false,
      writable: true,
      hints: [],
    })
    expect(kept.case).toEqual({
      target: { workflow: 'twice' },
      input: { amount: 5, apiKey: '[redacted]' },
      options: { userId: 'ada', context: { region: 'eu' } },
      resume: [{ ok: true, token: '[redacted]' }, 'yes'],
      expected: {
        first: { ok: true, token: '[redacted]' },
        second: 'yes',
        at: expect.any(String),
        ms: expect.any(Number),
        id: executionId,
        due: '2030-01-01T00:00:00Z',
      },
      rules: Object.fromEntries(
        ['/first/token', '/at', '/ms', '/id', '/due'].map((at) => [at, { ignore: true }]),
      ),
      from: { executionId, at: expect.any(String) },
    })
    expect(await scoreOf(kept.case)).toEqual(PASSED)
  })

  it('is whole, also when it is large, and redacts known values in texts', async () => {
    const started = await server.execute('echo', {
      text: `${'x'.repeat(100_000)} ${SECRET}`,
      rows: Array.from({ length: 300 }, (_, n) => n),
    })
    const { case: kept } = await caseOf(`executions/${started.executionId}`)
    expect(JSON.stringify(kept)).not.toContain(SECRET)
    expect(kept.input).toEqual({
      text: `${'x'.repeat(100_000)} [redacted]`,
      rows: Array.from({ length: 300 }, (_, n) => n),
    })
  })

  it('has the resume data of child workflows', async () => {
    const started = await server.execute('outer', { amount: 5, apiKey: 'k' })
    for (const data of ['a', 'b', 'c']) await resume(started, 'outer', data)
    const { case: kept } = await caseOf(`executions/${started.executionId}`)
    expect(kept.resume).toEqual(['a', 'b', 'c'])
    expect(await scoreOf(kept)).toEqual(PASSED)
  })

  it('resumes with the events that it got, before and while it waited, and continues its sleeps', async () => {
    const pay = (key: string) => server.post('/events', { name: 'paid', key, data: { paid: key } })
    await pay('early')
    const early = await server.execute('waits', { key: 'early' })
    const late = await server.execute('waits', { key: 'late' })
    await pay('late')
    const reason = async () => (await server.record('waits', late.executionId)).suspension?.reason
    await expect.poll(reason).toBe('sleeping')
    // without the events
    const scratch = new TestServer(config)
    for (const [execution, key] of [
      [early, 'early'],
      [late, 'late'],
    ] as const) {
      await resume(execution, 'waits')
      const { case: kept } = await caseOf(`executions/${execution.executionId}`)
      expect(kept.resume).toEqual([{ paid: key }, null])
      expect(await scoreOf(kept, scratch)).toEqual(PASSED)
    }
    await scratch.close()
  })

  it('has the resume data of the steps that a replay did not run again', async () => {
    const { executionId } = await finished()
    const replay = await dataOf<ExecutionResult>(
      server.post(`/workflows/twice/executions/${executionId}/replay`, { stepId: 'second' }),
    )
    await resume(replay, 'twice', 'again')
    const { case: kept, hints } = await caseOf(`executions/${replay.executionId}`)
    expect(kept.resume).toEqual([{ ok: true, token: '[redacted]' }, 'again'])
    expect(hints).toEqual(['The execution is a replay from the step "second": its case runs all steps'])
    expect(await scoreOf(kept)).toEqual(PASSED)
  })

  it('leaves out suspensions by requests and breakpoints', async () => {
    const started = await server.execute('twice', { amount: 5, apiKey: 'k' }, { pauseAt: ['first'] })
    for (const data of [undefined, 'a', 'b']) await resume(started, 'twice', data)
    const { case: kept } = await caseOf(`executions/${started.executionId}`)
    expect(kept.resume).toEqual(['a', 'b'])
  })

  it('has the decisions about the calls of the agents of its steps', async () => {
    const started = await server.execute('asks')
    const approvals = approvalsIn(started)
    expect(approvals).toHaveLength(1)
    await resume(started, 'asks', { approvals: [{ approvalId: approvals[0]?.approvalId, approved: true }] })
    const { case: kept } = await caseOf(`executions/${started.executionId}`)
    expect(kept.resume).toEqual([{ approvals: [{ approved: true }] }])
    expect(await scoreOf(kept)).toEqual(PASSED)
  })

  it('has no expected output when it failed, and is refused before the end', async () => {
    const failed = await server.startExecution('fails')
    await expect.poll(async () => (await server.record('fails', failed)).status).toBe('error')
    const kept = await caseOf(`executions/${failed}`)
    expect(kept.case).not.toHaveProperty('expected')
    expect(kept.hints).toEqual([
      'The run failed: it has no output to expect, and its case passes when it completes',
    ])
    const { executionId } = await server.execute('twice', { amount: 1, apiKey: 'k' })
    const path = `/observability/executions/${executionId}/case`
    expect(await refusalOf(server.request(path), 409)).toContain(
      "can't be kept as a case: its status is suspended",
    )
    expect(await refusalOf(server.request('/observability/executions/none/case'), 404)).toContain('not found')
  })
})

describe('the case of an agent run', () => {
  it('has the decisions about its calls, and passes', async () => {
    for (const approved of [true, false]) {
      const asked = await client.api.generateText({
        params: { id: 'clerk' },
        body: { input: 'Refund it', options: { userId: 'ada' } },
      })
      const approvals = [{ approvalId: asked.approvals?.[0]?.approvalId ?? '', approved }]
      await client.api.respondToRun({ params: { id: 'clerk', runId: asked.id }, body: { approvals } })
      const kept = await caseOf(`agents/clerk/runs/${asked.id}`)
      expect(kept).toMatchObject({ path: `cases/clerk/${asked.id}.json`, exists: false })
      expect(kept.case).toMatchObject({
        target: { agent: 'clerk' },
        input: 'Refund it',
        options: { userId: 'ada' },
        resume: [{ approved }],
        expected: approved ? 'Refunded' : 'Denied',
        from: { runId: asked.id },
      })
      expect(await scoreOf(kept.case)).toEqual(PASSED)
    }
  })

  it('has the options of its request, with the schema of an object', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const options = { temperature: 0, context: { region: 'eu', password: 'x' }, conversationId: 'talk' }
    const { id } = await client.api.generateObject({
      params: { id: 'finder' },
      body: { input: 'Where is it?', schema, options },
    })
    const kept = await caseOf(`agents/finder/runs/${id}`)
    expect(kept.case).toMatchObject({ input: 'Where is it?', expected: { city: 'Oslo' } })
    expect(kept.case.options).toEqual({
      temperature: 0,
      context: { region: 'eu', password: '[redacted]' },
      schema,
    })
    expect(kept.hints).toEqual([
      'The run belongs to a conversation: its case begins without the earlier messages',
    ])
    expect(await scoreOf(kept.case)).toEqual(PASSED)
  })

  it('expects the block of a guardrail, and is refused when its input was blocked and is not recorded', async () => {
    for (const [id, status] of [
      ['shy', 200],
      ['guarded-input', 409],
    ] as const) {
      const run = await client.api.generateText({ params: { id }, body: { input: 'Hello there' } })
      const path = `agents/${id}/runs/${run.id}`
      expect((await server.request(`/observability/${path}/case`)).status).toBe(status)
      if (status === 409) continue
      const kept = await caseOf(path)
      expect(kept.case.expected).toEqual({ blocked: 'too friendly' })
      expect(await scoreOf(kept.case)).toEqual(PASSED)
    }
  })

  it('is refused while it waits, for an agent that cases can not run, and for an unknown run', async () => {
    const asked = await client.api.generateText({ params: { id: 'clerk' }, body: { input: 'Refund it' } })
    const path = (agent: string, id: string) => `/observability/agents/${agent}/runs/${id}/case`
    expect(await refusalOf(server.request(path('clerk', asked.id)), 409)).toContain('its status is suspended')
    const [run] = await client.api.listAgentHistory({ params: { id: 'in-step' } })
    expect(await refusalOf(server.request(path('in-step', run?.id ?? '')), 409)).toContain(
      "can't be run by a case",
    )
    expect(await refusalOf(server.request(path('clerk', run?.id ?? '')), 404)).toContain('Run not found')
  })
})

describe('keeping a case', () => {
  const keep = (executionId: string, body: object = {}) =>
    server.post(`/observability/executions/${executionId}/case`, body)

  it('writes the file as it was shown, or as it was edited, and replaces none unless it is told to', async () => {
    const { executionId } = await finished()
    const shown = await caseOf(`executions/${executionId}`)
    expect(await dataOf(keep(executionId))).toEqual({ ...shown, exists: true })
    expect(project.read(shown.path)).toBe(`${JSON.stringify(shown.case, null, 2)}\n`)
    expect((await caseOf(`executions/${executionId}`)).exists).toBe(true)
    expect(await refusalOf(keep(executionId), 409)).toBe(`${shown.path} exists`)
    const edited = { ...shown.case, note: 'Two approvals' }
    await dataOf(keep(executionId, { case: edited, overwrite: true }))
    expect(Case.parse(JSON.parse(project.read(shown.path)))).toEqual(edited)
    await dataOf(keep(executionId, { path: 'cases/orders/large.v2.json' }))
    expect(JSON.parse(project.read('cases/orders/large.v2.json'))).toEqual(shown.case)
  })

  it('refuses paths that are not those of cases, and links out of the project', async () => {
    const { executionId } = await finished()
    for (const path of [
      '../x.json',
      'cases/../../x/y.json',
      'cases/a/../b.json',
      '/cases/a/b.json',
      'cases/a.json',
      'cases/.baselines/main.json',
      'cases/a/.b.json',
      'cases\\a\\b.json',
      'cases/a/b.ts',
      'cases/a/b/c.json',
      'cases/a./b.json',
      'cases/a/b\n.json',
    ])
      expect(await refusalOf(keep(executionId, { path }), 400)).toContain(
        'path: Must be cases/<name>/<id>.json',
      )
    const outside = new TempProject({ 'kept/x.json': '{}' })
    fs.symlinkSync(outside.path('kept'), project.path('cases/linked'))
    fs.symlinkSync(outside.path('kept/x.json'), project.path('cases/orders/linked.json'))
    fs.symlinkSync(outside.path('gone.json'), project.path('cases/orders/dangling.json'))
    for (const path of ['cases/linked/a.json', 'cases/orders/linked.json', 'cases/orders/dangling.json'])
      expect(await refusalOf(keep(executionId, { path, overwrite: true }), 409)).toContain(
        'is a symbolic link out of the project',
      )
    expect(fs.readdirSync(outside.root)).toEqual(['kept'])
    expect(outside.read('kept/x.json')).toBe('{}')
    fs.mkdirSync(project.path('cases/orders/folder.json'))
    expect(
      await refusalOf(keep(executionId, { path: 'cases/orders/folder.json', overwrite: true }), 409),
    ).toContain('is not a regular file')
    fs.mkdirSync(project.path('fixtures'))
    fs.symlinkSync(project.path('fixtures'), project.path('cases/inside'))
    await dataOf(keep(executionId, { path: 'cases/inside/a.json' }))
    expect(fs.existsSync(project.path('fixtures/a.json'))).toBe(true)
    outside.remove()
  })

  it('refuses what is not a case', async () => {
    const { executionId } = await finished()
    expect(await refusalOf(keep(executionId, { case: { target: { workflow: 'twice' } } }), 400)).toContain(
      'case.input',
    )
    expect(await refusalOf(keep(executionId, { case: { target: {}, input: 1 } }), 400)).toContain(
      'case.target',
    )
  })

  it('is possible under `agentserver dev` only', async () => {
    const files = new TempProject()
    const started = serverIn(files, false)
    const { executionId } = await started.execute('echo', {})
    const path = `/observability/executions/${executionId}/case`
    expect(await dataOf(started.request(path))).toMatchObject({ writable: false })
    expect(await refusalOf(started.post(path), 409)).toBe('Cases are written under "agentserver dev" only')
    expect(fs.existsSync(files.path('cases'))).toBe(false)
    await started.close()
    files.remove()
  })
})

describe('the cases of a target', () => {
  it('are those in its files, with their inputs; other files are left out', async () => {
    const own = new TempProject()
    const at = serverIn(own, false)
    const write = (name: string, content: unknown) =>
      own.write({ [`cases/${name}.json`]: JSON.stringify(content) })
    write('echo/two', { target: { workflow: 'echo' }, input: { n: 2 }, note: 'even' })
    write('echo/one', { target: { workflow: 'echo' }, input: { n: 1 } })
    write('echo/broken', { input: 1 })
    write('clerk/hello', { target: { agent: 'clerk' }, input: 'Hello' })
    const casesOf = (target: string) => dataOf(at.request(`/observability/${target}/cases`))
    expect(await casesOf('workflows/echo')).toEqual([
      { path: 'cases/echo/one.json', input: { n: 1 } },
      { path: 'cases/echo/two.json', input: { n: 2 }, note: 'even' },
    ])
    expect(await casesOf('agents/clerk')).toEqual([{ path: 'cases/clerk/hello.json', input: 'Hello' }])
    expect(await casesOf('workflows/fails')).toEqual([])
    expect(await refusalOf(at.request('/observability/workflows/nosuch/cases'), 404)).toContain('nosuch')
    await at.close()
    own.remove()
  })
})
