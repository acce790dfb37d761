import { describe, expect, it } from 'vitest'
import { CallState } from '../../../../src/console/screens/home/call-state.ts'
import type { CallStart } from '../../../../src/contract/channels.ts'

const NODE = 'workflow:order'

const call = (id: string, of: Partial<CallStart> = {}): CallStart => ({
  id,
  from: null,
  to: NODE,
  traceId: 't',
  executionId: id,
  ...of,
})

function callState() {
  const calls = new CallState()
  return {
    calls,
    start: (...of: Parameters<typeof call>) => calls.receive({ type: 'call:start', data: call(...of) }),
    end: (...of: Parameters<typeof call>) =>
      calls.receive({ type: 'call:end', data: { ...call(...of), error: null } }),
  }
}

describe('the calls on the map', () => {
  it('lead from a node to a run that is still in it', () => {
    const { calls, start, end } = callState()
    start('first')
    start('second')
    expect(calls.node(NODE)).toMatchObject({ running: 2, run: 'executions/second' })
    end('second')
    expect(calls.node(NODE)).toMatchObject({ running: 1, run: 'executions/first' })
    end('first')
    expect(calls.node(NODE).running).toBe(0)
  })

  it('count no end whose start was not seen', () => {
    const { calls, end } = callState()
    end('unknown')
    expect(calls.node(NODE).running).toBe(0)
  })

  it('keep a line idle that was forgotten while a call ran on it, and busy with the next call', () => {
    const { calls, start, end } = callState()
    const line = { from: NODE, to: 'tool:slow' }
    start('long', line)
    for (let index = 0; index < 200; index++) start(`${index}`, { from: NODE, to: `tool:${index}` })
    const running = () => calls.edges.find(({ to }) => to === line.to)?.running
    expect(running()).toBeUndefined()
    end('long', line)
    expect(running()).toBe(0)
    start('next', line)
    expect(running()).toBe(1)
  })
})
