import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAgent, createMcpServer, createWorkflow, demoModel } from 'agentserver'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import type { EndpointKey } from '../../src/contract/index.ts'
import { valuesOf } from '../support/json-schema-arbitrary.ts'
import type { InputSchema } from '../support/json-schema-arbitrary.ts'
import { add } from '../support/server/sample-tools.ts'
import { TestServer } from '../support/server/test-server.ts'
import { ReplySchemas } from './reply-schema.ts'
import type { ApiDescription } from './reply-schema.ts'

/** Walks `/doc`: sends generated valid and invalid requests to every operation. The seed makes it reproducible. */
const RUNS = { seed: 13, numRuns: 8 }

const ask = createWorkflow({
  id: 'ask',
  name: 'Ask',
  inputSchema: z.object({ n: z.number().optional() }),
}).andThen({
  id: 'wait',
  resumeSchema: z.boolean(),
  execute: ({ data, resumeData, suspend }) =>
    data.n === undefined ? (resumeData ?? suspend('Really?')) : data.n,
})
const helper = createAgent({ id: 'helper', name: 'Helper', instructions: 'Be brief.', model: demoModel() })
const root = mkdtempSync(path.join(tmpdir(), 'agentserver-described-'))
writeFileSync(path.join(root, 'package.json'), '{"name":"described","private":true}')
const server = new TestServer(
  {
    workflows: [ask],
    agents: [helper],
    tools: [add],
    mcpServers: [createMcpServer({ id: 'shop', name: 'Shop', tools: [add] })],
    enableSwaggerUI: true,
  },
  { root, production: true },
)

/** Values of path parameters that exist, by the first segment of the path. */
const known: Record<string, Record<string, string>> = {
  workflows: { id: 'ask' },
  agents: { id: 'helper' },
  tools: { name: 'add' },
  mcp: { serverId: 'shop' },
  ui: { asset: 'init.js' },
}
let schemas: ReplySchemas

beforeAll(async () => {
  schemas = new ReplySchemas((await (await server.request('/doc')).json()) as ApiDescription)
  const { executionId } = await server.execute('ask', { n: 1 })
  Object.assign(known['workflows'] ?? {}, { executionId })
  known['observability'] = { executionId }
})
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true })
})

interface Call {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly header: Readonly<Record<string, unknown>>
  readonly body?: unknown
}
type Place = 'path' | 'query' | 'header'

type Parameters = NonNullable<ReturnType<ReplySchemas['operation']>['parameters']>

const resolve = (reference: string) => schemas.component(reference) as InputSchema
const valid = (schema: object) => valuesOf(schema, resolve)

/** Text that a URL can have as one segment. */
const isSegment = (value: unknown) => !['', '.', '..'].includes(String(value))

function validCalls(key: EndpointKey): fc.Arbitrary<Call> {
  const { parameters = [], requestBody, path: template } = schemas.operation(key)
  const existing = known[template.split('/')[1] ?? ''] ?? {}
  const at = (place: Place) => {
    const own = parameters.filter((parameter) => parameter.in === place)
    const values = Object.fromEntries(
      own.map(({ name, schema }) => [name, valueAt(place, schema, existing[name])]),
    )
    return fc.record(values, { requiredKeys: own.filter(({ required }) => required).map(({ name }) => name) })
  }
  const content = requestBody?.content['application/json']?.schema
  return fc.record({
    path: at('path') as fc.Arbitrary<Call['path']>,
    query: at('query'),
    header: at('header'),
    ...(content && { body: valid(content) }),
  })
}

function valueAt(place: Place, schema: object, existing: string | undefined): fc.Arbitrary<unknown> {
  const generated = valid(schema)
  if (place === 'header') return generated.map((value) => String(value).trim())
  if (place !== 'path') return generated
  const segments = generated.filter(isSegment)
  return existing === undefined ? segments : fc.oneof(fc.constant(existing), segments)
}

interface Invalid {
  readonly call: Call
  /** The name in the error message. */
  readonly name: string
}

/** Valid calls of which one part is made invalid. */
function invalidCalls(key: EndpointKey): fc.Arbitrary<Invalid> | undefined {
  const { parameters = [], requestBody } = schemas.operation(key)
  const places = [
    ...wrongParameters(parameters),
    ...(requestBody
      ? wrongBodies(requestBody.content['application/json']?.schema ?? {}, requestBody.required)
      : []),
  ]
  if (places.length === 0) return undefined
  return fc.tuple(validCalls(key), fc.oneof(...places)).map(([call, change]) => change(call))
}

type Change = fc.Arbitrary<(call: Call) => Invalid>

const NEAR_MISSES = [
  '',
  ' ',
  '-1',
  '0',
  '1.5',
  '1e3',
  '9'.repeat(20),
  '__proto__',
  'a b',
  'é',
  '\0',
  '2026-02-30',
  'x',
  // the ids of conversations are limited by their length only
  'x'.repeat(9000),
]
const anyText = fc.oneof(fc.constantFrom(...NEAR_MISSES), fc.string())

function wrongParameters(parameters: Parameters): Change[] {
  return parameters
    .filter(({ in: place, schema }) => place !== 'header' && isConstrained(schema))
    .map(({ in: place, name, schema }) =>
      anyText
        .filter((text) => !isValidText(schema, text) && (place === 'query' || isSegment(text)))
        .map((text) => (call) => ({
          call: { ...call, [place]: { ...call[place as Place], [name]: text } },
          name,
        })),
    )
}

const anyValue = fc.oneof(
  fc.constantFrom(null, true, -1, 1.5, '', 'x', [], [[]], {}),
  fc.jsonValue({ maxDepth: 1 }),
)

function wrongBodies(schema: InputSchema, required: boolean): Change[] {
  const { properties = {}, required: names = [] } = schema.$ref === undefined ? schema : resolve(schema.$ref)
  const wrongRoot = anyValue.filter(
    (value) => typeof value !== 'object' || value === null || Array.isArray(value),
  )
  const members = Object.entries(properties)
    .filter(([, member]) => isConstrained(member))
    .map(([name, member]): Change => {
      const validate = schemas.compile(member)
      return anyValue
        .filter((value) => !validate(value))
        .map((value) => (call) => ({ call: withMember(call, name, value), name }))
    })
  const missing = names.map((name): Change =>
    fc.constant((call) => ({ call: withMember(call, name, undefined), name })),
  )
  return [
    ...members,
    ...missing,
    ...(required
      ? [fc.constant((call: Call) => ({ call: { ...call, body: undefined }, name: 'body' }))]
      : []),
    wrongRoot.map((body) => (call) => ({ call: { ...call, body }, name: 'body' })),
  ]
}

function withMember(call: Call, name: string, value: unknown): Call {
  return { ...call, body: { ...(call.body as object), [name]: value } }
}

function isConstrained(schema: InputSchema): boolean {
  if (schema.$ref !== undefined) return isConstrained(resolve(schema.$ref))
  const { type, pattern, maxLength, anyOf } = schema
  return (
    anyOf !== undefined ||
    (type !== undefined &&
      (type !== 'string' || pattern !== undefined || maxLength !== undefined || 'enum' in schema))
  )
}

function isValidText(schema: InputSchema, text: string): boolean {
  if (schema.type !== 'integer') return schemas.compile(schema)(text)
  return /^\d+$/.test(text) && schemas.compile(schema)(Number(text))
}

function send(key: EndpointKey, { path: params, query, header, body }: Call): Promise<Response> {
  const { path: template, method } = schemas.operation(key)
  const target = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const headers = Object.fromEntries(Object.entries(header).map(([name, value]) => [name, String(value)]))
  return server.request(`${target}?${search.toString()}`, {
    method,
    headers,
    ...(body !== undefined && { json: body }),
  })
}

/** Problems of user data and of states, which the description can't express. */
const SEMANTIC =
  /^(?:Input validation failed|Resume data validation|Execution can't be|input\b|messages\b|schema\b|stepId:|options\.(?:stepId|pauseAt):|case\.rules\b|q:|endpoint:|filter[:.]|options\.metadata|options\.output: Must be of the type|metadata: Must be empty|[\w.]+: Must be the same as )/

/** Checks that a response is described, and returns its status and error message. */
async function expectDescribed(
  key: EndpointKey,
  response: Response,
): Promise<{ status: number; error?: string }> {
  const { status } = response
  const type = response.headers.get('content-type') ?? ''
  expect(Object.keys(schemas.operation(key).responses)).toContain(String(status))
  if (type.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status }
  }
  const text = await response.text()
  if (type !== 'application/json') return { status }
  const value = JSON.parse(text) as { error?: string | { message: string } | null }
  expect(schemas.problemsOf(key, value, status)).toEqual([])
  const error = typeof value.error === 'string' ? value.error : value.error?.message
  return { status, ...(error !== undefined && { error }) }
}

/** The server has no option of those that endpoints need. */
const SERVED = ENDPOINT_LIST.filter(([, { onlyWith }]) => onlyWith === undefined)

describe.each(SERVED)('%s', (key, endpoint) => {
  it('answers valid requests as described', async () => {
    await fc.assert(
      fc.asyncProperty(validCalls(key), async (call) => {
        const { status, error } = await expectDescribed(key, await send(key, call))
        expect([status, error]).not.toEqual([500, expect.anything()])
        if (status === 400 && endpoint.reply.kind !== 'protocol') expect(error).toMatch(SEMANTIC)
      }),
      RUNS,
    )
  })

  it.skipIf(endpoint.bodyUnchecked)(
    'refuses invalid requests with a message that names the part',
    async () => {
      const calls = invalidCalls(key)
      if (!calls) return
      await fc.assert(
        fc.asyncProperty(calls, async ({ call, name }) => {
          const { status, error } = await expectDescribed(key, await send(key, call))
          expect([status, error]).toEqual([400, expect.stringContaining(name)])
        }),
        RUNS,
      )
    },
  )
})
