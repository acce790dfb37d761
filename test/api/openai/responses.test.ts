import { generateText, stepCountIs, streamText, tool } from 'ai'
import { createAgent, createTool, createWorkflow } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { OpenaiTestServer } from './openai-test-server.ts'

/** All texts that a model got from users and itself. */
function heard({ prompt }: LanguageModelV3CallOptions): string {
  return prompt
    .flatMap(({ role, content }) =>
      role === 'system' || typeof content === 'string'
        ? []
        : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    )
    .join('|')
}

const parrot = createAgent({
  id: 'parrot',
  name: 'Parrot',
  instructions: 'Repeat.',
  model: scriptedModel([(call) => `<${heard(call)}>`], { repeatLast: true }),
})
const weather = createAgent({
  id: 'weather',
  name: 'Weather',
  instructions: 'Tell the weather.',
  model: scriptedModel(
    [
      ({ prompt, tools = [] }) => {
        const last = prompt.at(-1)
        if (last?.role === 'tool') return `It is ${JSON.stringify(last.content)}`
        return {
          text: 'One moment',
          toolCalls: [{ toolName: tools[0]?.name ?? 'x', input: { city: 'Ghent' } }],
        }
      },
    ],
    { repeatLast: true },
  ),
})
const person = createAgent({
  id: 'person',
  name: 'Person',
  instructions: 'Return a person.',
  model: scriptedModel(['{"name":"Ada"}'], { repeatLast: true }),
})
const refund = createTool({
  name: 'refund',
  description: 'Refunds',
  inputSchema: z.object({ amount: z.number() }),
  needsApproval: true,
  execute: () => 'refunded',
})
const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Refund.',
  tools: [refund],
  model: scriptedModel(
    [
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool'
          ? 'Done'
          : { toolCalls: [{ toolName: 'refund', input: { amount: 250 } }] },
    ],
    { repeatLast: true },
  ),
})
const breaking = createAgent({
  id: 'breaking',
  name: 'Breaking',
  instructions: 'Break off.',
  model: scriptedModel([{ text: 'Half of it', error: new Error('secret reason') }], { repeatLast: true }),
})
const slow = createAgent({
  id: 'slow',
  name: 'Slow',
  instructions: 'Wait.',
  model: scriptedModel([{ text: 'Late', delayMs: 60_000 }], { repeatLast: true }),
})
const order = createWorkflow({ id: 'order', inputSchema: z.object({ count: z.number() }) }).andThen({
  id: 'sum',
  execute: ({ data }) => ({ total: data.count * 2 }),
})
const approval = createWorkflow({ id: 'approval' }).andThen({
  id: 'ask',
  resumeSchema: z.object({ ok: z.boolean() }),
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('Needs a manager'),
})

const openai = new OpenaiTestServer({
  agents: [parrot, weather, person, clerk, breaking, slow],
  workflows: [order, approval],
})
let client: OpenAI
beforeAll(async () => {
  await openai.open()
  client = openai.client()
})
afterAll(() => openai.close())

const getWeather = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: true,
}

async function errorOf(sent: PromiseLike<unknown>) {
  const error: unknown = await Promise.resolve(sent).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  const { status, code, param, message } = error as InstanceType<typeof OpenAI.APIError>
  return { status, code, param, message }
}

/** Reads a response until it is not in progress. */
async function ended(id: string) {
  for (;;) {
    const response = await client.responses.retrieve(id)
    if (response.status !== 'in_progress') return response
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('a response', () => {
  it('has the answer as text and items', async () => {
    const response = await client.responses.create({
      model: 'parrot',
      input: 'Hi',
      instructions: 'Loudly.',
      metadata: { plan: 'pro' },
    })
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      output_text: '<Hi>',
      model: 'parrot',
      error: null,
      incomplete_details: null,
      instructions: 'Loudly.',
      metadata: { plan: 'pro' },
      output: [
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: '<Hi>', annotations: [] }],
        },
      ],
    })
    expect(response.usage?.total_tokens).toBeGreaterThan(0)
    const { output, usage, status } = await client.responses.retrieve(response.id)
    expect({ output, usage, status }).toEqual({
      output: response.output,
      usage: response.usage,
      status: 'completed',
    })
  })

  it('streams the events of OpenAI', async () => {
    const stream = await client.responses.create({ model: 'parrot', input: 'Hi', stream: true })
    const events = []
    for await (const event of stream) events.push(event)
    const types = events.map(({ type }) => type)
    expect(types.filter((type, index) => types.indexOf(type) === index)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()])
    const last = events.at(-1)
    expect(last?.type === 'response.completed' && last.response.output).toMatchObject([
      { content: [{ text: '<Hi>' }] },
    ])
    const final = await client.responses.stream({ model: 'parrot', input: 'Hi' }).finalResponse()
    expect(final.output_text).toBe('<Hi>')
    expect((await client.responses.retrieve(final.id)).output).toMatchObject(
      final.output.map(({ id, type }) => ({ id, type })),
    )
    const raw = await openai.send('/responses', { model: 'parrot', input: 'Hi', stream: true })
    expect(raw.text).toMatch(/^event: response\.created\ndata: \{"type":"response\.created"/)
  })

  it('continues the conversation of another one, in branches', async () => {
    const ask = (input: string, previous_response_id?: string) =>
      client.responses.create({ model: 'parrot', input, previous_response_id: previous_response_id ?? null })
    const first = await ask('one')
    const left = await ask('two', first.id)
    const right = await ask('three', first.id)
    const leaf = await ask('four', left.id)
    expect(left.output_text).toBe('<one|<one>|two>')
    expect(right.output_text).toBe('<one|<one>|three>')
    expect(leaf.output_text).toBe('<one|<one>|two|<one|<one>|two>|four>')
    expect(leaf.previous_response_id).toBe(left.id)
    expect((await client.responses.retrieve(leaf.id)).previous_response_id).toBe(left.id)
  })

  it.each([false, true])(
    'returns calls of the client, whose outputs continue it (stream: %s)',
    async (stream) => {
      const question = { model: 'weather', input: 'Weather?', tools: [getWeather] }
      const response = stream
        ? await client.responses.stream(question).finalResponse()
        : await client.responses.create(question)
      expect(response.status).toBe('completed')
      expect(response.output.map(({ type }) => type)).toEqual(['message', 'function_call'])
      const call = (response.output as OpenAI.Responses.ResponseOutputItem[]).find(
        (item): item is OpenAI.Responses.ResponseFunctionToolCall => item.type === 'function_call',
      )
      expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Ghent"}' })
      const answer = (output: string) =>
        client.responses.create({
          ...question,
          previous_response_id: response.id,
          input: [{ type: 'function_call_output', call_id: call?.call_id ?? '', output }],
        })
      expect((await answer('sunny')).output_text).toMatch(/^It is .*sunny/)
      // of the same response, another branch
      expect((await answer('rainy')).output_text).toMatch(/^It is .*rainy/)
      const withItems = await client.responses.create({
        ...question,
        input: [
          { role: 'user', content: 'Weather?' },
          ...(response.output as OpenAI.Responses.ResponseInputItem[]),
          { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'foggy' },
        ],
      })
      expect(withItems.output_text).toContain('foggy')
      expect(
        await errorOf(client.responses.create({ ...question, previous_response_id: response.id })),
      ).toMatchObject({ status: 400, param: 'input' })
    },
  )

  it('is JSON of a schema', async () => {
    const format = {
      type: 'json_schema' as const,
      name: 'person',
      schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    }
    const response = await client.responses.parse({ model: 'person', input: 'Who?', text: { format } })
    expect(JSON.parse(response.output_text)).toEqual({ name: 'Ada' })
    const stored = await client.responses.retrieve(response.id)
    expect(JSON.parse(stored.output_text)).toEqual({ name: 'Ada' })
    expect(stored.text?.format).toMatchObject({ type: 'json_schema', name: 'person' })
  })

  it('that waits is incomplete, until it is decided', async () => {
    const response = await client.responses.create({ model: 'clerk', input: 'Refund' })
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: {
        reason: 'approval_required',
        approvals: [{ toolName: 'refund', input: { amount: 250 } }],
      },
    })
    expect(response.output_text).toContain('approval of refund({"amount":250})')
    expect(
      await errorOf(
        client.responses.create({ model: 'clerk', input: 'x', previous_response_id: response.id }),
      ),
    ).toMatchObject({ status: 400, param: 'previous_response_id' })
    const { approvals } = response.incomplete_details as unknown as { approvals: { approvalId: string }[] }
    await openai.server.post(`/agents/clerk/runs/${response.id.replace('resp_', '')}/approvals`, {
      approvals: approvals.map(({ approvalId }) => ({ approvalId, approved: true })),
    })
    expect(await client.responses.retrieve(response.id)).toMatchObject({
      status: 'completed',
      output_text: 'Done',
    })
    const streamed = await client.responses.stream({ model: 'clerk', input: 'Refund' }).finalResponse()
    expect(streamed.status).toBe('incomplete')
    expect(streamed.output_text).toContain('approval of refund')
  })

  it('is not found when it was not stored, or was deleted', async () => {
    const hidden = await client.responses.create({ model: 'parrot', input: 'Hi', store: false })
    expect(hidden.output_text).toBe('<Hi>')
    expect(await errorOf(client.responses.retrieve(hidden.id))).toMatchObject({ status: 404 })
    const response = await client.responses.create({ model: 'parrot', input: 'Hi' })
    await client.responses.delete(response.id)
    expect(await errorOf(client.responses.retrieve(response.id))).toMatchObject({ status: 404 })
    expect(await errorOf(client.responses.delete(response.id))).toMatchObject({ status: 404 })
    for (const previous_response_id of [hidden.id, response.id])
      expect(
        await errorOf(client.responses.create({ model: 'parrot', input: 'x', previous_response_id })),
      ).toMatchObject({ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' })
    const history = await openai.server.request('/agents/parrot/history?limit=1000')
    expect(await history.text()).not.toContain(response.id.replace('resp_', ''))
  })

  it('is not a run that was made otherwise', async () => {
    const text = await openai.server.post('/agents/parrot/text', { input: 'Hi' })
    const { data } = (await text.json()) as { data: { id: string } }
    expect(await errorOf(client.responses.retrieve(`resp_${data.id}`))).toMatchObject({ status: 404 })
    const chat = await client.chat.completions.create({
      model: 'parrot',
      messages: [{ role: 'user', content: 'Hi' }],
    })
    const id = chat.id.replace('chatcmpl-', 'resp_')
    expect(await errorOf(client.responses.delete(id))).toMatchObject({ status: 404 })
  })

  it('goes on in the background', async () => {
    const response = await client.responses.create({ model: 'parrot', input: 'Hi', background: true })
    expect(response).toMatchObject({ status: 'in_progress', background: true, output: [] })
    expect(await ended(response.id)).toMatchObject({
      status: 'completed',
      output_text: '<Hi>',
      background: true,
    })
    const streamed = await client.responses
      .stream({ model: 'parrot', input: 'Hi', background: true })
      .finalResponse()
    expect(streamed.output_text).toBe('<Hi>')
  })

  it('is cancelled, and stays so', async () => {
    const response = await client.responses.create({ model: 'slow', input: 'Hi', background: true })
    expect((await client.responses.cancel(response.id)).status).toBe('cancelled')
    expect((await client.responses.cancel(response.id)).status).toBe('cancelled')
    const done = await client.responses.create({ model: 'parrot', input: 'Hi' })
    expect((await client.responses.cancel(done.id)).status).toBe('completed')
    const deleted = await client.responses.create({ model: 'slow', input: 'Hi', background: true })
    await client.responses.delete(deleted.id)
    expect(await errorOf(client.responses.retrieve(deleted.id))).toMatchObject({ status: 404 })
  })

  it('that breaks ends with events of errors', async () => {
    const stream = await client.responses.create({ model: 'breaking', input: 'Hi', stream: true })
    const events: unknown[] = []
    for await (const event of stream) events.push(event)
    // the client throws an error event since its major version 7
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'server_error' })
    expect(events.at(-2)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: { code: 'server_error' },
        output: [{ type: 'message', status: 'incomplete', content: [{ text: 'Half of it' }] }],
      },
    })
    const raw = await openai.send('/responses', { model: 'breaking', input: 'Hi', stream: true })
    expect(raw.text.trim().split('\n\n').at(-1)).toMatch(/^event: error\ndata: \{"type":"error"/)
    expect(raw.text).not.toContain('secret reason')
    const { fullStream } = streamText({
      model: openai.provider().responses('breaking'),
      prompt: 'Hi',
      onError: () => undefined,
    })
    const types: string[] = []
    for await (const { type } of fullStream) types.push(type)
    expect(types).toContain('error')
  })

  it.each([
    ['an unknown model', { model: 'gpt-9' }, { status: 404, code: 'model_not_found' }],
    ['no input', { input: [] }, { status: 400, param: 'input' }],
    ['a blank input', { input: ' ' }, { status: 400, param: 'input' }],
    ['an unknown item', { input: [{ type: 'x' }] }, { status: 400, param: 'input[0].type' }],
    ['an unknown reference', { input: [{ type: 'item_reference', id: 'msg_1_0' }] }, { status: 404 }],
    ['a hosted tool', { tools: [{ type: 'web_search' }] }, { status: 400, param: 'tools[0].type' }],
    ['a conversation', { conversation: 'conv_1' }, { status: 400, param: 'conversation' }],
    ['a background without store', { background: true, store: false }, { status: 400, param: 'background' }],
    [
      'an unknown previous response',
      { previous_response_id: 'resp_x' },
      { status: 400, code: 'previous_response_not_found' },
    ],
  ])('refuses %s', async (_, members, expected) => {
    const body = { model: 'parrot', input: 'Hi', ...members } as OpenAI.Responses.ResponseCreateParams
    expect(await errorOf(client.responses.create(body))).toMatchObject(expected)
  })
})

describe('a workflow', () => {
  it('answers with its result', async () => {
    const question = { model: 'workflow/order', input: '{"count":21}' }
    const response = await client.responses.create(question)
    expect(response).toMatchObject({ status: 'completed', output_text: '{"total":42}' })
    expect((await client.responses.retrieve(response.id)).output_text).toBe('{"total":42}')
    const final = await client.responses.stream(question).finalResponse()
    expect(final.output_text).toBe('{"total":42}')
    const started = await client.responses.create({ ...question, background: true })
    expect(started.status).toBe('in_progress')
    expect((await ended(started.id)).output_text).toBe('{"total":42}')
    await client.responses.delete(response.id)
    expect(await errorOf(client.responses.retrieve(response.id))).toMatchObject({ status: 404 })
  })

  it('that is suspended is incomplete with what it waits for', async () => {
    const response = await client.responses.create({ model: 'workflow/approval', input: '{}' })
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'suspended', suspension: { stepId: 'ask', reason: 'Needs a manager' } },
    })
    expect((await client.responses.retrieve(response.id)).status).toBe('incomplete')
    expect((await client.responses.cancel(response.id)).status).toBe('cancelled')
  })
})

describe('the AI SDK', () => {
  it('generates, streams, and has its tools called', async () => {
    const provider = openai.provider()
    expect((await generateText({ model: provider.responses('parrot'), prompt: 'Hi' })).text).toBe('<Hi>')
    expect(await streamText({ model: provider.responses('parrot'), prompt: 'Hi' }).text).toBe('<Hi>')
    const tools = {
      get_weather: tool({
        description: 'Weather',
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => `sunny in ${city}`,
      }),
    }
    const asked = {
      model: provider.responses('weather'),
      prompt: 'Weather?',
      tools,
      stopWhen: stepCountIs(3),
    }
    const { text, steps } = await generateText(asked)
    expect(text).toContain('sunny in Ghent')
    expect(steps).toHaveLength(2)
    expect(await streamText(asked).text).toContain('sunny in Ghent')
  })
})
