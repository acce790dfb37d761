import { andAll, andThen, andWhen, createWorkflow, defineConfig } from 'agentserver'
import { createServer } from 'agentserver/server'
import { describe, expect, it } from 'vitest'
import { resolveConfig } from '../../src/config/config.ts'

/** The error message of an invalid configuration. */
function problemsOf(config: unknown): string {
  let thrown: unknown
  try {
    resolveConfig(config, 'agentserver.config.ts')
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ name: 'ConfigError', code: 'invalid_config', file: 'agentserver.config.ts' })
  return (thrown as Error).message.replace('Invalid configuration: ', '')
}

const step = (id: string) => andThen({ id, execute: () => 1 })
const broken = (value: unknown) => value as never

describe('a configuration', () => {
  it('may be empty, and has defaults', () => {
    expect(resolveConfig(defineConfig({}), 'x')).toMatchObject({
      port: 3141,
      host: '127.0.0.1',
      database: 'file:.agentserver/data.db',
      workflows: [],
      allowedHosts: [],
      limits: { bodyBytes: 4 * 1024 * 1024 },
      retention: { executions: { days: 30, count: 100_000 } },
    })
  })

  it.each([undefined, null, 1, 'config', [], () => ({})])('must be an object, unlike %s', (config) => {
    expect(problemsOf(config)).toContain('defineConfig')
  })

  it.each([
    [{ prot: 3000 }, 'unknown option "prot". Did you mean "port"?'],
    [{ workflow: [] }, 'unknown option "workflow". Did you mean "workflows"?'],
    [{ nonsense: 1 }, 'unknown option "nonsense"'],
    [
      { retention: { executions: { day: 1 } } },
      'unknown option "retention.executions.day". Did you mean "retention.executions.days"?',
    ],
    [{ limits: { bodybytes: 1 } }, 'unknown option "limits.bodybytes". Did you mean "limits.bodyBytes"?'],
    [{ workflows: {} }, 'workflows: must be an array'],
    [{ workflows: null }, 'workflows: must be an array'],
    [{ workflows: [step('a')] }, 'workflows[0]: must be made by createWorkflow()'],
    [
      { workflows: [createWorkflow({ id: 'w' }, step('a')), { id: 'x' }] },
      'workflows[1]: must be made by createWorkflow()',
    ],
    [{ workflows: [undefined] }, 'workflows[0]: must be made by createWorkflow()'],
    [{ agents: {} }, 'agents: must be an array'],
    [{ tools: [{}] }, 'tools[0]: must be made by createTool()'],
    [{ configureApp: {} }, 'configureApp: must be a function'],
  ])('is refused when it has %j', (config, message) => {
    expect(problemsOf(config)).toBe(message)
  })

  it.each([
    ['port', [-1, 65_536, 1.5, '3000', Number.NaN, null]],
    ['host', ['', 1]],
    ['database', ['', {}]],
    ['durability', ['fast', true]],
    ['enableSwaggerUI', ['yes', 1]],
    ['allowedHosts', ['example.com', {}]],
    ['limits', [1, []]],
  ])('is refused with the name of the option %s when its value is invalid', (name, values) => {
    for (const value of values) expect(problemsOf({ [name]: value })).toMatch(new RegExp(`^${name}: \\S`))
  })

  it('is refused with the path of an invalid value', () => {
    expect(problemsOf({ allowedHosts: ['a', ''] })).toMatch(/^allowedHosts\[1\]: /)
    expect(problemsOf({ retention: { executions: { days: 0 } } })).toMatch(/^retention\.executions\.days: /)
    expect(problemsOf({ limits: { bodyBytes: 'much' } })).toMatch(/^limits\.bodyBytes: /)
  })

  it('is refused with all its errors', () => {
    const message = problemsOf({
      port: 'x',
      nope: 1,
      workflows: [createWorkflow({ id: 'empty' })],
      configureApp: 1,
    })
    for (const part of [
      'port: ',
      'unknown option "nope"',
      'workflow "empty": it has no steps: andThen()',
      'configureApp: must',
    ])
      expect(message).toContain(`\n  - ${part}`)
  })

  it('is validated when a server is created from it', () => {
    expect(() => createServer({ port: -1 })).toThrow(/^Invalid configuration: port: /)
  })
})

describe('a workflow', () => {
  const problemsOfWorkflow = (...workflows: unknown[]) => problemsOf({ workflows })

  it('must have a unique id', () => {
    const twice = [createWorkflow({ id: 'w' }, step('a')), createWorkflow({ id: 'w' }, step('b'))]
    expect(problemsOfWorkflow(...twice)).toBe('workflow id "w" is used 2 times')
  })

  it('may be listed twice, and be a step of another workflow', () => {
    const inner = createWorkflow({ id: 'inner' }, step('a'))
    const outer = createWorkflow({ id: 'outer' }).andWorkflow({
      id: 'run',
      workflow: inner,
      input: () => ({}),
    })
    expect(resolveConfig({ workflows: [outer, inner, inner] }, 'x').workflows.map(({ id }) => id)).toEqual([
      'outer',
      'inner',
    ])
    const other = createWorkflow({ id: 'inner' }, step('b'))
    expect(problemsOfWorkflow(outer, other)).toBe('workflow id "inner" is used 2 times')
  })

  it.each(['', 'a b', '../x', '-a', '__proto__', 'x'.repeat(129), 7, undefined])(
    "can't have the id %j",
    (id) => {
      expect(problemsOfWorkflow(createWorkflow({ id: broken(id) }, step('a')))).toContain(
        'the id must be letters, digits',
      )
    },
  )

  it("can't have the id executions", () => {
    expect(problemsOfWorkflow(createWorkflow({ id: 'executions' }, step('a')))).toBe(
      'workflow "executions": the id "executions" is reserved for a route',
    )
  })

  it.each([
    [
      'must have steps',
      createWorkflow({ id: 'w' }),
      'workflow "w": it has no steps: andThen() and its like return a new workflow, so export what they return',
    ],
    [
      'must have unique step ids, at every depth',
      createWorkflow({ id: 'w' }, step('a'), andWhen({ id: 'b', condition: () => true, step: step('a') })),
      'workflow "w": step id "a" is used 2 times (a, b/a)',
    ],
    [
      'must have steps with execute',
      createWorkflow({ id: 'w' }, andThen({ id: 'a', execute: broken('x') })),
      'workflow "w": step "a" (andThen): execute must be a function',
    ],
    [
      'must have conditions that are functions',
      createWorkflow({ id: 'w' }, andWhen({ id: 'a', condition: broken(true), step: step('b') })),
      'workflow "w": step "a" (andWhen): condition must be a function',
    ],
    [
      'must have groups with at least one step',
      createWorkflow({ id: 'w' }, andAll({ id: 'a', steps: [] })),
      'workflow "w": step "a" (andAll): steps must be an array with at least one step',
    ],
    [
      'is refused with the path of an invalid nested step',
      createWorkflow(
        { id: 'w' },
        andAll({ id: 'a', steps: [andThen({ id: 'b', timeoutMs: 0, execute: () => 1 })] }),
      ),
      'workflow "w": step "a/b" (andThen): timeoutMs must be a number above 0',
    ],
    [
      'must run workflows in andWorkflow',
      createWorkflow({ id: 'w' }).andWorkflow({ id: 'a', workflow: broken({}), input: () => ({}) }),
      'workflow "w": step "a" (andWorkflow): workflow must be made by createWorkflow()',
    ],
  ])('%s', (_, workflow, message) => {
    expect(problemsOfWorkflow(workflow)).toBe(message)
  })

  it.each([
    [{ inputSchema: 'string' }, 'inputSchema'],
    [{ inputSchema: { type: 'strin' } }, 'inputSchema'],
    [{ resultSchema: { $ref: '#/nowhere' } }, 'resultSchema'],
    [{ retries: -1 }, 'retries'],
    [{ retries: { limit: 'x' } }, 'retries'],
  ])('is refused with the name of the invalid option in %j', (options, name) => {
    const message = problemsOfWorkflow(createWorkflow({ id: 'w', ...(options as object) }, step('a')))
    expect(message).toMatch(new RegExp(`^workflow "w": .*${name}`))
  })

  it('is refused with the step whose schema is invalid', () => {
    const workflow = createWorkflow(
      { id: 'w' },
      andThen({ id: 'a', resumeSchema: broken(1), execute: () => 1 }),
    )
    expect(problemsOfWorkflow(workflow)).toMatch(
      /^workflow "w": step "a" \(andThen\): resumeSchema must be a Standard Schema/,
    )
  })
})
