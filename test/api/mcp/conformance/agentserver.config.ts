import {
  createAgent,
  createMcpServer,
  createTool,
  createWorkflow,
  defineConfig,
  demoModel,
  type Elicit,
  type McpContent,
} from 'agentserver'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'

/** An image of one red pixel, and an empty sound. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

const nothing = { type: 'object', properties: {} } as const

const giving = (name: string, description: string, content: McpContent[]) =>
  createTool({ name, description, inputSchema: nothing, execute: () => ({ content }) })

const embedded = {
  type: 'resource',
  resource: {
    uri: 'test://embedded-resource',
    mimeType: 'text/plain',
    text: 'This is an embedded resource content.',
  },
} as const
const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const

const titled = (titles: Readonly<Record<string, string>>) =>
  Object.entries(titles).map(([value, title]) => ({ const: value, title }))

const choices = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: {
      type: 'string',
      oneOf: titled({ value1: 'First Option', value2: 'Second Option', value3: 'Third Option' }),
    },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: {
      type: 'array',
      items: { anyOf: titled({ value1: 'First Choice', value2: 'Second Choice', value3: 'Third Choice' }) },
    },
  },
} as const

async function elicitText(
  elicit: Elicit | undefined,
  message: string,
  schema: Parameters<Elicit>[0]['schema'],
): Promise<string> {
  if (!elicit) throw new Error('The client does not support elicitation')
  const answer = await elicit({ message, schema })
  const content = answer.action === 'accept' ? answer.content : {}
  return `Elicitation completed: action=${answer.action}, content=${JSON.stringify(content)}`
}

/** The tools that the scenarios of the conformance suite call. */
const tools = [
  createTool({
    name: 'test_simple_text',
    description: 'Gives text',
    inputSchema: nothing,
    execute: () => 'This is a simple text response for testing.',
  }),
  giving('test_image_content', 'Gives an image', [image]),
  giving('test_audio_content', 'Gives a sound', [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]),
  giving('test_embedded_resource', 'Gives a resource', [embedded]),
  giving('test_multiple_content_types', 'Gives text, an image and a resource', [
    { type: 'text', text: 'Multiple content types test:' },
    image,
    embedded,
  ]),
  createTool({
    name: 'test_error_handling',
    description: 'Fails',
    inputSchema: nothing,
    execute: () => {
      throw new Error('This tool intentionally returns an error for testing')
    },
  }),
  createTool({
    name: 'test_tool_with_progress',
    description: 'Tells how far it is',
    inputSchema: nothing,
    execute: async (_, { reportProgress }) => {
      for (const progress of [0, 50, 100]) {
        reportProgress?.({ progress, total: 100, message: `Completed step ${progress} of 100` })
        await setTimeout(10)
      }
      return 'done'
    },
  }),
  createTool({
    name: 'test_tool_with_logging',
    description: 'Logs',
    inputSchema: nothing,
    execute: async (_, { logger }) => {
      logger.info('Tool execution started')
      await setTimeout(50)
      logger.info('Tool processing data')
      await setTimeout(50)
      logger.info('Tool execution completed')
      return 'done'
    },
  }),
  createTool({
    name: 'test_sampling',
    description: 'Has the model of its client answer',
    inputSchema: z.object({ prompt: z.string() }),
    execute: async ({ prompt }, { sample }) => {
      if (!sample) throw new Error('The client has no model to ask')
      const { content } = await sample({
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      })
      return `LLM response: ${content.type === 'text' ? content.text : content.type}`
    },
  }),
  createTool({
    name: 'test_elicitation',
    description: 'Asks the person behind its client',
    inputSchema: z.object({ message: z.string() }),
    execute: ({ message }, { elicit }) =>
      elicitText(elicit, message, z.object({ username: z.string(), email: z.email() })),
  }),
  createTool({
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks with values that stand in the form already',
    inputSchema: nothing,
    execute: (_, { elicit }) =>
      elicitText(
        elicit,
        'Who are you?',
        z.object({
          name: z.string().default('John Doe'),
          age: z.int().default(30),
          score: z.number().default(95.5),
          status: z.enum(['active', 'inactive', 'pending']).default('active'),
          verified: z.boolean().default(true),
        }),
      ),
  }),
  createTool({
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks for choices of every kind',
    inputSchema: nothing,
    execute: (_, { elicit }) => elicitText(elicit, 'Choose', choices),
  }),
  createTool({
    name: 'json_schema_2020_12_tool',
    description: 'Has an input schema with references of its own',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    execute: (input) => JSON.stringify(input),
  }),
]

const guide = createAgent({ id: 'guide', name: 'Guide', instructions: 'Answer', model: demoModel() })

const order = createWorkflow({ id: 'order', name: 'Order', purpose: 'Orders something' }).andThen({
  id: 'take',
  execute: () => ({ taken: true }),
})

const server = createMcpServer({
  id: 'conformance',
  name: 'Conformance',
  description: 'Has what the scenarios of the conformance suite ask for',
  tools,
  logging: true,
  agents: [guide],
  workflows: [order],
  resources: [
    {
      uri: 'test://static-text',
      name: 'Static text',
      description: 'Text that stays',
      mimeType: 'text/plain',
      read: () => 'This is the content of the static text resource.',
    },
    {
      uri: 'test://static-binary',
      name: 'Static binary',
      description: 'Bytes that stay',
      mimeType: 'image/png',
      read: () => Buffer.from(PNG, 'base64'),
    },
    {
      uri: 'test://watched-resource',
      name: 'Watched resource',
      description: 'Text that changes every second',
      mimeType: 'text/plain',
      read: () => new Date().toISOString(),
      watch: ({ signal }, changed) => {
        const timer = setInterval(changed, 1000)
        signal.addEventListener('abort', () => clearInterval(timer))
      },
    },
    {
      uri: 'test://template/{id}/data',
      name: 'Template',
      description: 'One for each id',
      mimeType: 'application/json',
      read: ({ params }) => ({ id: params['id'], templateTest: true, data: `Data for ID: ${params['id']}` }),
    },
  ],
  prompts: [
    {
      name: 'test_simple_prompt',
      description: 'A prompt without arguments',
      get: () => 'This is a simple prompt for testing.',
    },
    {
      name: 'test_prompt_with_arguments',
      description: 'A prompt with arguments',
      arguments: [
        { name: 'arg1', description: 'First', required: true, complete: () => ['paris', 'park', 'party'] },
        { name: 'arg2', description: 'Second', required: true },
      ],
      get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    },
    {
      name: 'test_prompt_with_embedded_resource',
      description: 'A prompt with a resource in it',
      arguments: [{ name: 'resourceUri', description: 'Its URI', required: true }],
      get: ({ resourceUri = '' }) => [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: {
              uri: resourceUri,
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
        },
        { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
      ],
    },
    {
      name: 'test_prompt_with_image',
      description: 'A prompt with an image',
      get: () => [
        { role: 'user', content: image },
        { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
      ],
    },
  ],
})

export default defineConfig({ database: ':memory:', mcpServers: [server] })
