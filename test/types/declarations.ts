import { anthropic } from '@ai-sdk/anthropic'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  createAgent,
  createEval,
  createTool,
  defineConfig,
  demoModel,
  jwtAuth,
  maxLength,
  redactPatterns,
  type ModelName,
  type SocketHandler,
  type User,
} from '../../src/index.ts'
import { evalCases, scriptedModel, type TestFunction } from '../../src/testing/index.ts'

// a tool's function receives the output of the input schema and returns the input of the output schema
const inputSchema = z.object({ id: z.string(), n: z.number().default(1) })
const tool = { name: 'look-up', description: 'Looks up an order' }
createTool({
  ...tool,
  inputSchema,
  needsApproval: ({ n }) => n > 1,
  execute: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ id: string; n: number }>()
    return input.id
  },
})
const Found = z.discriminatedUnion('found', [
  z.object({ found: z.literal(true), state: z.enum(['open', 'paid']) }),
  z.object({ found: z.literal(false) }),
])
createTool({
  ...tool,
  inputSchema,
  outputSchema: Found,
  execute: ({ id }) => (id === '' ? { found: false } : { found: true, state: 'open' }),
})
createTool({
  ...tool,
  inputSchema,
  outputSchema: z.union([z.object({ n: z.number() }), z.object({ error: z.string() })]),
  execute: async ({ id, n }) => {
    if (id === '') return { error: 'no id' }
    return { n }
  },
})
createTool({ ...tool, inputSchema, outputSchema: { type: 'object' }, execute: () => ({ any: 1 }) })
createTool({ ...tool, inputSchema: { type: 'object' }, execute: (input) => JSON.stringify(input) })

// each mistake is reported at its own field
createTool({
  ...tool,
  inputSchema,
  outputSchema: z.object({ state: z.string(), n: z.number() }),
  // @ts-expect-error state is a string
  execute: () => ({ state: 1, n: 1 }),
})
createTool({
  ...tool,
  inputSchema,
  outputSchema: z.object({ state: z.string(), n: z.number() }),
  // @ts-expect-error n is missing
  execute: async ({ id }) => ({ state: id }),
})
// @ts-expect-error the input has no such field
createTool({ ...tool, inputSchema, execute: ({ missing }) => missing })
createTool({
  ...tool,
  // @ts-expect-error the option is called inputSchema
  inputShema: inputSchema,
  execute: ({ id }) => String(id),
})
createTool({
  ...tool,
  inputSchema,
  outputSchema: Found,
  // @ts-expect-error the option is called execute
  exceute: () => ({ found: false }),
})
createTool({
  ...tool,
  // @ts-expect-error a text is not a schema
  inputSchema: 'text',
  execute: ({ id }) => String(id),
})
// @ts-expect-error the input schema is missing
createTool({ ...tool, execute: ({ id }) => String(id) })
// @ts-expect-error a Date is not JSON
createTool({ ...tool, inputSchema, execute: () => ({ when: new Date() }) })
// @ts-expect-error results are JSON before the schema sees them
createTool({ ...tool, inputSchema, outputSchema: z.date(), execute: () => new Date() })

// models are objects of the AI SDK or names of known providers
const agent = { id: 'clerk', name: 'Clerk', instructions: 'Help' }
const found = createTool({ ...tool, inputSchema, execute: () => 'found' })
createAgent({ ...agent, model: 'openai/gpt-4.1-mini' })
createAgent({ ...agent, model: 'ollama/library/llama3.2' })
createAgent({ ...agent, model: anthropic('claude-haiku-4-5') })
createAgent({ ...agent, model: demoModel() })
createAgent({ ...agent, model: scriptedModel([]) })
createAgent({ ...agent, model: String(process.env['MODEL']) as ModelName })
createAgent({ ...agent, model: ['openai/gpt-4.1-mini', anthropic('claude-haiku-4-5'), demoModel()] })
createAgent({
  ...agent,
  instructions: async ({ user, context, conversationId, input }) => {
    expectTypeOf(user).toEqualTypeOf<User | undefined>()
    expectTypeOf(context).toEqualTypeOf<Readonly<Record<string, unknown>>>()
    expectTypeOf(conversationId).toEqualTypeOf<string | undefined>()
    expectTypeOf(input).toEqualTypeOf<string>()
    return 'Help.'
  },
  model: ({ input }) => (input === '' ? demoModel() : ['openai/gpt-4.1-mini', 'ollama/llama3.2']),
  tools: async () => [found],
})
createAgent({
  ...agent,
  guardrails: {
    input: [
      maxLength(10),
      redactPatterns(['card', 'email', 'phone', /own/]),
      async ({ text, messages, user, signal }) => {
        expectTypeOf(text).toEqualTypeOf<string>()
        expectTypeOf(user).toEqualTypeOf<User | undefined>()
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
        return messages === undefined ? { block: 'no' } : { replace: messages.slice(1) }
      },
    ],
    output: [
      maxLength(10),
      redactPatterns([/own/]),
      ({ text, object }) => {
        expectTypeOf(text).toEqualTypeOf<string | undefined>()
        return text === undefined ? { replace: object } : undefined
      },
    ],
  },
})
// @ts-expect-error a reason is required
createAgent({ ...agent, guardrails: { input: [() => ({ block: true })] } })
// @ts-expect-error an input is a text or messages
createAgent({ ...agent, guardrails: { input: [() => ({ replace: 1 })] } })
// @ts-expect-error there is no such pattern
redactPatterns(['iban'])
// @ts-expect-error instructions are a text
createAgent({ ...agent, instructions: () => 1 })
// @ts-expect-error there is no such provider
createAgent({ ...agent, model: () => 'opnai/gpt-4.1-mini' })
// @ts-expect-error not a tool
createAgent({ ...agent, tools: () => ['look-up'] })
// @ts-expect-error there is no such provider
createAgent({ ...agent, model: 'opnai/gpt-4.1-mini' })
// @ts-expect-error the provider is missing
createAgent({ ...agent, model: 'gpt-4.1-mini' })
// @ts-expect-error not a model
createAgent({ ...agent, model: { provider: 'openai', modelId: 'gpt-4.1-mini' } })

// exactly one key; the algorithms are required with a public one
jwtAuth({ secret: process.env['JWT_SECRET'], verifyOptions: { audience: 'shop', requiredClaims: ['exp'] } })
jwtAuth({ secret: 'a PEM', verifyOptions: { algorithms: ['RS256'] } })
const verifyOptions = { algorithms: ['RS256', 'ES256'] } as const
jwtAuth({ publicKey: 'a PEM', verifyOptions })
jwtAuth({ jwksUri: 'https://issuer/keys', jwksTimeoutMs: 1000, verifyOptions })
// @ts-expect-error a key is missing
jwtAuth({})
// @ts-expect-error two keys
jwtAuth({ secret: 'x', publicKey: 'y', verifyOptions })
// @ts-expect-error the algorithms are missing
jwtAuth({ publicKey: 'a PEM' })
// @ts-expect-error the algorithms are missing
jwtAuth({ jwksUri: 'https://issuer/keys', verifyOptions: { audience: 'shop' } })
// @ts-expect-error anyone could sign with the public key
jwtAuth({ publicKey: 'a PEM', verifyOptions: { algorithms: ['HS256'] } })
// @ts-expect-error there is no such algorithm
jwtAuth({ secret: 'x', verifyOptions: { algorithms: ['none'] } })
// @ts-expect-error only key sets are fetched
jwtAuth({ secret: 'x', jwksTimeoutMs: 1000 })

// sockets and hot modules are typed
const echo: SocketHandler = (socket, { user, params }) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
  expectTypeOf(user?.id).toEqualTypeOf<string | undefined>()
  expectTypeOf(params['room']).toEqualTypeOf<string | undefined>()
  // @ts-expect-error a socket has no such method
  socket.emitt('message')
}
defineConfig({ webSockets: { '/echo': echo } })
import.meta.hot?.dispose((data) => {
  expectTypeOf(data).toEqualTypeOf<Record<string, unknown>>()
})
// @ts-expect-error there is no such hook
import.meta.hot?.accept()

// evalCases takes `test` of Vitest, and configurations and evals as they are declared
expectTypeOf(evalCases({ cases: 'cases/**/*.json', replay: true, test })).resolves.toBeVoid()
expectTypeOf<typeof test>().toExtend<TestFunction>()
void evalCases({
  config: defineConfig({}),
  evals: [createEval({ id: 'a', target: { agent: 'a' }, cases: [] })],
})
// @ts-expect-error a list of files is no glob
void evalCases({ cases: ['cases/a.json'] })
// @ts-expect-error answers are not recorded by tests
void evalCases({ record: true })
