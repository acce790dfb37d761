/* oxlint-disable typescript/unbound-method -- the methods are closures, and called with arguments of other types */
import * as library from 'agentserver'
import { pino } from 'pino'
import { createClient } from 'agentserver/client'
import { createServer } from 'agentserver/server'
import { createTestRunner, evalCases, scriptedModel } from 'agentserver/testing'
import { afterAll, describe, expect, it } from 'vitest'

type Call = (...values: unknown[]) => unknown

/** What JavaScript itself says when a member of a missing value is read. */
const RAW = /cannot (?:read|destructure|use)|is not (?:a function|iterable|an object)|undefined|of null/i

const all = { ...library, createClient, createServer, createTestRunner, evalCases, scriptedModel }
const functions = Object.entries(all)
  .filter(([, value]) => typeof value === 'function' && !value.toString().startsWith('class '))
  .map(([name, value]) => [name, value as Call] as const)

const { andThen, createAgent, createTool, createWorkflow } = library
const step = andThen({ id: 'one', execute: () => 1 })
const workflow = createWorkflow({ id: 'tested' }, step)
const tool = createTool({ name: 'one', description: 'One', inputSchema: {}, execute: () => 1 })
const agent = createAgent({ id: 'one', name: 'One', instructions: 'Answer.', tools: [tool] })
const paid = library.defineEvent({ name: 'paid', schema: {} })
const runner = createTestRunner([workflow])
const server = createServer({ database: ':memory:', workflows: [workflow] }, { logger: quiet() })
afterAll(() => Promise.all([runner.close(), server.close()]))

function quiet() {
  return pino({ enabled: false })
}

/** An argument that is wrong, and the words that its error must have. */
interface WrongArgument {
  readonly of: string
  readonly call: () => unknown
  readonly named: string
}

/** Calls of a function with each wrong value of each of the options. */
function wrongOptions(
  of: string,
  call: (options: unknown) => unknown,
  options: Readonly<Record<string, unknown>>,
  argument = 'options',
): WrongArgument[] {
  return [
    { of, call: () => call(null), named: argument },
    { of, call: () => call(7), named: argument },
    ...Object.entries(options).map(([name, value]) => ({
      of,
      call: () => call({ ...(of === 'createClient' && { baseUrl: 'http://localhost' }), [name]: value }),
      named: `${argument}.${name}`,
    })),
  ]
}

const later: readonly WrongArgument[] = [
  { of: 'createWorkflow', call: () => untyped(createWorkflow)({ id: 'x' }, 7), named: 'steps' },
  { of: 'createWorkflow', call: () => untyped(createWorkflow)({ id: 'x' }, step, agent), named: 'steps' },
  ...wrongOptions('createServer', (options) => untyped(createServer)({ workflows: [] }, options), {
    root: 7,
    logger: 'info',
    production: 'yes',
  }),
  ...wrongOptions('createClient', untyped(createClient), {
    baseUrl: 7,
    token: 7,
    consoleKey: {},
    dev: 'yes',
    fetch: 'fetch',
  }),
  ...wrongOptions('createTestRunner', (options) => untyped(createTestRunner)([workflow], options), {
    agents: agent,
  }),
  {
    of: 'createTestRunner',
    call: () => untyped(createTestRunner)([workflow], { agents: [workflow] }),
    named: 'agents',
  },
  {
    of: 'createTestRunner',
    call: () => untyped(createTestRunner)({ config: {}, models: {} }),
    named: 'models belongs to the second argument',
  },
  ...wrongOptions('scriptedModel', (options) => untyped(scriptedModel)([], options), {
    modelId: 7,
    repeatLast: 'yes',
  }),
  ...wrongOptions('demoModel', untyped(library.demoModel), { modelId: 7, delayMs: '10', note: 7 }),
  ...wrongOptions('equals', untyped(library.equals), { rules: 'exact' }),
  ...wrongOptions('toolCalls', (options) => untyped(library.toolCalls)([], options), {
    anyOrder: 'yes',
    allowOthers: 1,
  }),
  ...wrongOptions('evalCases', untyped(evalCases), {
    cases: 7,
    config: 'agentserver.config.ts',
    evals: {},
    replay: 'yes',
    repeat: '2',
    root: 7,
    test: {},
    timeoutMs: '1m',
  }),
  ...wrongOptions('sendEvent', (options) => untyped(library.sendEvent)(paid, {}, options), { key: 7, id: 7 }),
  { of: 'persist', call: () => untyped(library.persist)(7, () => 1), named: 'key' },
  { of: 'persist', call: () => untyped(library.persist)('key', 7), named: 'open' },
  ...wrongOptions('persist', (options) => untyped(library.persist)('key', () => 1, options), {
    dispose: {},
    deps: 'url',
  }),
  // methods of what the functions return
  ...wrongOptions('run', (options) => untyped(runner.run)(workflow, {}, options), {
    user: 'ada',
    userId: 7,
    conversationId: 7,
    context: 'x',
  }),
  { of: 'run', call: () => untyped(runner.run)('tested', {}), named: 'workflow' },
  { of: 'clientOf', call: () => untyped(runner.clientOf)('ada'), named: 'user' },
  { of: 'advance', call: () => untyped(runner.advance)({}), named: 'duration' },
  {
    of: 'resume',
    call: async () => untyped((await runner.run(workflow, {})).resume)({}, { user: 'ada' }),
    named: 'options.user',
  },
  { of: 'fetch', call: () => untyped(server.fetch)('/workflows'), named: 'request' },
  ...wrongOptions('listen', untyped(server.listen), { port: '80', host: 7, nextFree: 'yes' }),
  ...wrongOptions(
    'listExecutions',
    untyped(runner.client.api.listExecutions),
    { query: 'limit=5', headers: 'accept', signal: 7 },
    'call',
  ),
  { of: 'getExecution', call: () => untyped(runner.client.api.getExecution)(), named: 'call.params.id' },
  {
    of: 'getExecution',
    call: () => untyped(runner.client.api.getExecution)({ params: { id: 'tested' } }),
    named: 'call.params.executionId',
  },
]

function untyped(call: unknown): Call {
  return call as Call
}

/** Functions whose later arguments are checked elsewhere. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  resumeExecution: 'by the server that runs the code, as options of requests are',
  cancelExecution: 'likewise',
  startWorkflow: 'likewise',
}

// without options, evalCases() loads the project of the working directory
it.each(functions.filter(([name]) => name !== 'evalCases'))(
  '%s names itself when its first argument is missing or of another type',
  async (name, call) => {
    for (const value of [undefined, null, 7, 'text', () => 1]) {
      const thrown = await Promise.resolve()
        .then(() => call(value))
        .then(
          () => undefined,
          (error: unknown) => error as Error & { code?: string },
        )
      // problems of declarations are reported when the configuration is loaded
      if (thrown === undefined || thrown.code === 'invalid_config') continue
      expect(thrown.message).toContain(`${name}()`)
      expect(thrown.message.replaceAll('"undefined"', '').replace(/not (?:undefined|null)$/, '')).not.toMatch(
        RAW,
      )
    }
  },
)

describe('later arguments and options', () => {
  it.each(later)('of $of() are named when they are wrong: $named', async ({ of, call, named }) => {
    const thrown = await Promise.resolve()
      .then(call)
      .then(
        () => undefined,
        (error: unknown) => error as Error,
      )
    expect(thrown?.message).toContain(`${of}()`)
    expect(thrown?.message).toContain(named)
    expect(thrown?.message.replace(/not (?:undefined|null)$/, '')).not.toMatch(RAW)
  })

  it('are tested of every public function that has them', () => {
    const withLater = functions
      .filter(([, call]) => hasLaterArguments(call))
      .map(([name]) => name)
      .filter((name) => ELSEWHERE[name] === undefined)
    expect(withLater.length).toBeGreaterThan(5)
    expect(new Set(later.map(({ of }) => of))).toEqual(new Set([...later.map(({ of }) => of), ...withLater]))
  })
})

/** Whether a function has more than one parameter, or one that may be omitted. */
function hasLaterArguments(call: Call): boolean {
  const [, parameters = ''] = /^[^(]*\(([^)]*)/.exec(call.toString()) ?? []
  const [first = '', second = ''] = parameters.split(',')
  return first.includes('=') || second.trim() !== ''
}
