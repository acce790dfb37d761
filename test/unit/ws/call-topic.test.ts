import { describe, expect, it } from 'vitest'
import type { CallFrame } from '../../../src/contract/channels.ts'
import type { Span, SpanEvent } from '../../../src/contract/endpoints/trace.ts'
import { followCalls } from '../../../src/ws/call-topic.ts'

const TOOL = { 'gen_ai.operation.name': 'execute_tool' }

describe('the live calls', () => {
  const frames: CallFrame[] = []
  let send: (event: SpanEvent) => void = () => undefined
  followCalls(
    { subscribe: (listener) => ((send = listener), () => undefined) },
    (frame) => void frames.push(frame),
  )
  const span = (spanId: string, values: Partial<Span>) =>
    ({ spanId, parentSpanId: null, kind: 'internal', status: 'ok', attributes: {}, ...values }) as Span
  const edges = (run: () => void) => {
    frames.length = 0
    run()
    return frames.map(({ type, data }) =>
      'to' in data ? `${type} ${data.from ?? 'outside'} > ${data.to}` : type,
    )
  }

  it('go on from a tool to the connected MCP server that provides it', () => {
    const tool = span('a', { attributes: { ...TOOL, 'gen_ai.tool.name': 'shop_look' } })
    const request = span('b', {
      parentSpanId: 'a',
      kind: 'client',
      status: 'error',
      attributes: { ...TOOL, 'gen_ai.tool.name': 'look', 'agentserver.mcp.server.id': 'shop' },
    })
    expect(
      edges(() => {
        send({ type: 'span:start', span: tool })
        send({ type: 'span:start', span: request })
        send({ type: 'span:end', span: request })
        send({ type: 'span:end', span: tool })
      }),
    ).toEqual([
      'call:start outside > tool:shop_look',
      'call:start tool:shop_look > mcp:shop',
      'call:end tool:shop_look > mcp:shop',
      'call:end outside > tool:shop_look',
    ])
    expect(frames[2]).toMatchObject({ data: { error: 'failed' } })
  })

  it('name the execution that runs, also those made within it', () => {
    const workflow = span('a', {
      traceId: 't',
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        'agentserver.workflow.id': 'order',
        'agentserver.execution.id': 'e1',
      },
    })
    const tool = span('b', {
      traceId: 't',
      parentSpanId: 'a',
      attributes: { ...TOOL, 'gen_ai.tool.name': 'look' },
    })
    edges(() => {
      send({ type: 'span:start', span: workflow })
      send({ type: 'span:start', span: tool })
    })
    expect(frames).toMatchObject([
      { data: { to: 'workflow:order', executionId: 'e1', traceId: 't' } },
      { data: { to: 'tool:look', executionId: 'e1', traceId: 't' } },
    ])
  })

  it('reach the tools of a served MCP server by way of the server, and from there what they call', () => {
    const call = span('a', {
      kind: 'server',
      attributes: { ...TOOL, 'gen_ai.tool.name': 'look', 'agentserver.mcp.server.id': 'desk' },
    })
    const agent = span('b', {
      parentSpanId: 'a',
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.id': 'clerk' },
    })
    expect(
      edges(() => {
        send({ type: 'span:start', span: call })
        send({ type: 'span:start', span: agent })
      }),
    ).toEqual([
      'call:start outside > mcp:desk',
      'call:start mcp:desk > tool:look',
      'call:start tool:look > agent:clerk',
    ])
    expect(new Set(frames.map(({ data }) => ('id' in data ? data.id : ''))).size).toBe(3)
  })
})
