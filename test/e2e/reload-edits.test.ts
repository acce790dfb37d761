import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { DevProject, greetingOf } from '../support/project/dev-project.ts'

const project = new DevProject({
  'agentserver.config.ts': `
    import fs from 'node:fs'
    import { defineConfig } from 'agentserver'
    import { greeting } from './src/greeting.ts'
    import { ask, fail, hold, late } from './src/flows.ts'
    import { opened, pool } from './src/pool.ts'

    export default defineConfig({
      workflows: [ask, fail, hold, late],
      configureApp: (app) => {
        app.get('/greeting', (c) => c.json({ data: greeting }))
        app.get('/pool', (c) => c.json({ data: { opened, id: pool.id } }))
        app.get('/slow-route', async (c) => {
          fs.appendFileSync('ran.log', 'route begun\\n')
          while (!fs.existsSync('gate')) await new Promise((resolve) => setTimeout(resolve, 5))
          return c.json({ data: greeting })
        })
      },
    })
  `,
  'src/greeting.ts': greetingOf('hello'),
  'src/flows.ts': `
    import fs from 'node:fs'
    import { createWorkflow } from 'agentserver'
    import { z } from 'zod'

    const version = 'one'
    fs.appendFileSync('ran.log', 'loaded ' + version + '\\n')
    import.meta.hot?.dispose(() => fs.appendFileSync('ran.log', 'disposed ' + version + '\\n'))

    interface Typed { readonly that: 'shifts the lines of the compiled code' }

    export const hold = createWorkflow({ id: 'hold', name: 'Hold' })
      .andThen({ id: 'wait', execute: async () => {
        fs.appendFileSync('ran.log', 'begun\\n')
        while (!fs.existsSync('gate')) await new Promise((resolve) => setTimeout(resolve, 5))
        return {}
      } })
      .andThen({ id: 'tell', execute: () => ({ version }) })

    export const late = createWorkflow({ id: 'late', name: 'Late' })
      .andThen({ id: 'fail', execute: async () => {
        fs.writeFileSync('waits', '')
        while (!fs.existsSync('late-gate')) await new Promise((resolve) => setTimeout(resolve, 5))
        const options = { apiKey: 'k-12345-secret' }
        throw new TypeError('no answer', { cause: new Error(options.apiKey.slice(0, 1)) })
      } })

    export const ask = createWorkflow({ id: 'ask', name: 'Ask' })
      .andThen({ id: 'first', execute: () => ({ first: version }) })
      .andThen({
        id: 'question',
        resumeSchema: z.object({ answer: z.string() }),
        execute: ({ data, resumeData, suspend }) =>
          resumeData ? { ...data, ...resumeData, second: version } : suspend('what is it?'),
      })

    export const fail = createWorkflow({ id: 'fail', name: 'Fail' })
      .andThen({ id: 'break', execute: () => {
        throw new RangeError('broken on purpose')
      } })
  `,
  'src/pool.ts': `
    import fs from 'node:fs'
    import { persist } from 'agentserver'

    export const pool = persist('pool', () => ({ id: Math.random() }), {
      dispose: () => fs.appendFileSync('ran.log', 'pool closed\\n'),
    })
    export const opened = 'opened'
  `,
  'src/unused.ts': 'export const unused = 1\n',
})

beforeAll(() => project.start())
afterAll(() => project.end())

const suspended = async () => {
  const { data } = await project.server.post('/workflows/ask/execute', { input: {} })
  expect(data.status).toBe('suspended')
  return data.executionId as string
}
const resume = (executionId: string) =>
  project.server.post(`/workflows/ask/executions/${executionId}/resume`, { resumeData: { answer: 'yes' } })
const moveOn = async (from: string, to: string) => {
  project.edit('src/flows.ts', `version = '${from}'`, `version = '${to}'`)
  await project.outcome()
}

describe('a save', () => {
  it('of an imported file is served and reported in one line', async () => {
    project.write({ 'src/greeting.ts': greetingOf('good morning') })
    expect(await project.outcome()).toMatch(
      /^✓ reloaded src\/greeting\.ts → 4 modules, \d+ ms, generation 2\n$/,
    )
    expect((await project.server.get('/greeting')).data).toBe('good morning')
    expect((await project.status()).generation).toMatchObject({
      number: 2,
      files: ['src/greeting.ts'],
      modules: 4,
    })
  })

  it('of the config is served', async () => {
    project.edit('agentserver.config.ts', "get('/greeting'", "get('/welcome'")
    expect(await project.outcome()).toContain('reloaded agentserver.config.ts →')
    expect((await project.server.get('/welcome')).data).toBe('good morning')
    expect((await project.server.get('/greeting')).status).toBe(404)
    project.edit('agentserver.config.ts', "get('/welcome'", "get('/greeting'")
    await project.outcome()
  })

  it('of a file that nothing imports changes nothing', async () => {
    const before = await project.generation()
    project.write({ 'src/unused.ts': 'export const unused = (', 'src/new.ts': 'also unused' })
    project.write({ 'src/greeting.ts': greetingOf('good day') })
    expect(await project.outcome()).toMatch(/reloaded src\/greeting\.ts →/)
    expect(await project.generation()).toBe(before + 1)
  })

  it('without a change causes no reload', async () => {
    const before = await project.generation()
    project.write({ 'src/greeting.ts': project.read('src/greeting.ts') })
    project.edit('src/pool.ts', "opened = 'opened'", "opened = 'once'")
    expect(await project.outcome()).toMatch(/reloaded src\/pool\.ts →/)
    expect(await project.generation()).toBe(before + 1)
  })
})

describe('running code during a save', () => {
  it('keeps its version, while new requests get the new code', async () => {
    const started = project.server.post('/workflows/hold/execute', { input: {} })
    const route = project.server.get('/slow-route')
    await project.noted('begun')
    await project.noted('route begun')
    project.write({ 'src/greeting.ts': greetingOf('good evening') })
    await project.outcome()
    await moveOn('one', 'two')
    await project.serves('/greeting', 'good evening')
    const { data } = await project.server.post('/workflows/ask/execute', { input: {} })
    const record = await project.server.get(`/workflows/ask/executions/${data.executionId}`)
    expect(record.data.steps[0].output).toEqual({ first: 'two' })
    // code in use is not disposed
    expect(project.notes()).toContain('loaded two')
    expect(project.notes()).not.toContain('disposed one')
    project.openGate()
    expect((await started).data.result).toEqual({ version: 'one' })
    expect((await route).data).toBe('good day')
    await project.noted('disposed one')
    expect(project.notes()).not.toContain('disposed two')
    project.delete('gate')
  })

  it('opens a persist() value once', async () => {
    const before = (await project.server.get('/pool')).data
    project.edit('src/pool.ts', "opened = 'once'", "opened = 'still once'")
    await project.outcome()
    expect((await project.server.get('/pool')).data).toEqual({ opened: 'still once', id: before.id })
    expect(project.notes()).not.toContain('pool closed')
  })
})

describe('a suspended execution', () => {
  it('resumes with the new code of its step id', async () => {
    const executionId = await suspended()
    await moveOn('two', 'three')
    const { data } = await resume(executionId)
    expect(data).toMatchObject({
      status: 'completed',
      result: { first: 'two', answer: 'yes', second: 'three' },
    })
  })

  it('whose step was removed is rejected with 409 and stays suspended', async () => {
    const executionId = await suspended()
    project.edit('src/flows.ts', "id: 'question'", "id: 'other-question'")
    await project.outcome()
    expect((await resume(executionId)).status).toBe(409)
    project.edit('src/flows.ts', "id: 'other-question'", "id: 'question'")
    await project.outcome()
    expect((await resume(executionId)).data.status).toBe('completed')
  })
})

it('the error of a failed step has the line of the TypeScript source, also after an edit', async () => {
  const where = async () => {
    const { status } = await project.server.post('/workflows/fail/execute', { input: {} })
    expect(status).toBe(500)
    const { data } = await project.server.get('/workflows/executions?workflowId=fail&limit=1')
    const record = await project.server.get(`/workflows/fail/executions/${data[0].id}`)
    return record.data.error.stack as string
  }
  const line = () => project.read('src/flows.ts').split("throw new RangeError('")[0]?.split('\n').length
  expect(await where()).toContain(`src/flows.ts:${line()}:15`)
  project.edit('src/flows.ts', 'interface Typed', '// one line more\n    interface Typed')
  await project.outcome()
  expect(await where()).toContain(`src/flows.ts:${line()}:15`)
})

it('the error of a step has the source of its line as it was when it ran, without secrets', async () => {
  const run = project.server.post('/workflows/late/execute', { input: {} })
  await until(() => fs.existsSync(project.path('waits')))
  const line = project.read('src/flows.ts').split('throw new TypeError')[0]?.split('\n').length ?? 0
  project.edit(
    'src/flows.ts',
    "throw new TypeError('no answer'",
    "// moved\n        throw new TypeError('edited'",
  )
  await project.outcome()
  fs.writeFileSync(project.path('late-gate'), '')
  await run
  const { data: listed } = await project.server.get('/workflows/executions?workflowId=late')
  const record = await project.server.get(`/observability/executions/${listed[0].id}`)
  const { location, cause } = record.data.error
  expect(location).toMatchObject({ file: 'src/flows.ts', line, column: 15 })
  expect(location.frame?.split('\n')).toEqual([
    expect.stringContaining('while (!fs'),
    `  ${line - 1} |         const options = { apiKey: '**************' }`,
    `> ${line} |         throw new TypeError('no answer', { cause: new Error(options.apiKey.slice(0, 1)) })`,
    expect.stringMatching(/\| {15}\^$/),
    expect.stringContaining('} })'),
    expect.stringMatching(/\|$/),
  ])
  expect(cause.location).toMatchObject({ line, column: 51 })
  const stream = await fetch(`${project.server.url}/workflows/late/executions/${listed[0].id}/stream`)
  const text = await stream.text()
  expect(text).toContain('no answer')
  expect(text).not.toMatch(/"(?:stack|location)"|flows\.ts/)
})

it('stopping the server runs all dispose callbacks', async () => {
  expect((await project.server.kill('SIGTERM')).exitCode).toBe(0)
  expect(project.notes().slice(-2)).toEqual(['disposed three', 'pool closed'])
  expect(fs.existsSync(project.path('.agentserver/server.json'))).toBe(false)
})
