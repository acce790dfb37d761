import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { jsonLogLine } from '../../../../src/cli/print/json-log-lines.ts'
import { LogLines } from '../../../../src/cli/print/log-lines.ts'
import { collectLogs } from '../../../support/telemetry/collect-logs.ts'

function logger({ requests }: { requests: boolean }) {
  const lines: string[] = []
  const terminal = { note: (text: string) => void lines.push(text), notePaint: pc.createColors(false) }
  const { logs } = collectLogs({ print: new LogLines(terminal, { requests }).print })
  return { lines, log: logs.logger }
}

describe('log lines', () => {
  it('say when, how bad, what, and what belongs to it', () => {
    const { lines, log } = logger({ requests: true })
    log.info('up')
    log.warn({ orderId: 'A-1' }, 'late')
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d up$/)
    expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d warn late orderId="A-1"$/)
  })

  it('show an error with its stack, indented', () => {
    const { lines, log } = logger({ requests: true })
    log.error({ err: new RangeError('too far') }, 'broke')
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d error broke\n {4}RangeError: too far\n {8}at /)
  })

  it('let no message drive the terminal', () => {
    const { lines, log } = logger({ requests: true })
    log.info({ by: '\u001b]0;title\u0007' }, 'clear \u001b[2J now')
    expect(lines.join('')).not.toContain('\u001b')
    expect(lines[0]).toContain('clear \\x1b[2J now')
  })

  it('let no message pass for another line', () => {
    const { lines, log } = logger({ requests: true })
    log.info('one\n10:00:00 error forged\u2028\u202eend')
    expect(lines[0]).toMatch(/one\n {4}10:00:00 error forged\\u2028\\u202eend$/)
  })

  it('let no name pass for another line', () => {
    const { lines, log } = logger({ requests: true })
    log.info({ 'a\n10:00:00 error forged': 1, größe: 2, 'http.route': '/' }, 'one')
    expect(lines[0]?.split('\n')).toHaveLength(1)
    expect(lines[0]).toMatch(/one "a\\n10:00:00 error forged"=1 größe=2 http\.route="\/"$/)
  })

  it('show what led to an error', () => {
    const { lines, log } = logger({ requests: true })
    log.warn({ err: new Error('outer', { cause: new Error('inner') }) }, 'broke')
    expect(lines[0]).toMatch(/Error: outer\n[^]*Caused by: Error: inner\n {8}at /)
  })

  it('leave failed requests to the command that made them, but not what broke', () => {
    const { lines, log } = logger({ requests: false })
    log.warn({ requestId: 'r-1' }, 'Workflow execution failed')
    log.error({ requestId: 'r-2' }, 'Internal server error')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('Internal server error')
  })
})

it('a JSON line has all that is known, and no character that drives a terminal', () => {
  const lines: string[] = []
  const { logs } = collectLogs({ print: (entry) => void lines.push(jsonLogLine(entry)) })
  logs.logger.child({ executionId: 'e-1', stepId: 's' }).warn({ a: 1 }, 'wide \u009b2J \u001b[2J')
  expect(lines[0]).not.toContain('\u009b')
  expect(lines[0]).not.toContain('\u001b')
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 40,
    time: expect.any(Number),
    executionId: 'e-1',
    stepId: 's',
    a: 1,
    msg: 'wide \u009b2J \u001b[2J',
  })
})
