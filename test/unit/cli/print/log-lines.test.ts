import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { LogLines } from '../../../../src/cli/print/log-lines.ts'
import { collectLogs } from '../../../support/telemetry/collect-logs.ts'

function logger({ requests }: { requests: boolean }) {
  const lines: string[] = []
  const terminal = { note: (text: string) => void lines.push(text), notePaint: pc.createColors(false) }
  const { logs } = collectLogs({ print: new LogLines(terminal, { requests }).print })
  return { lines, log: logs.logger }
}

describe('log lines', () => {
  it('contain time, level, message and attributes', () => {
    const { lines, log } = logger({ requests: true })
    log.info('up')
    log.warn({ orderId: 'A-1' }, 'late')
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d up$/)
    expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d warn late orderId="A-1"$/)
  })

  it('contain the indented stack of an error', () => {
    const { lines, log } = logger({ requests: true })
    log.error({ err: new RangeError('too far') }, 'broke')
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d error broke\n {4}RangeError: too far\n {8}at /)
  })

  it('escape control characters', () => {
    const { lines, log } = logger({ requests: true })
    log.info({ by: '\u001b]0;title\u0007' }, 'clear \u001b[2J now')
    expect(lines.join('')).not.toContain('\u001b')
    expect(lines[0]).toContain('clear \\x1b[2J now')
  })

  it('indent further lines of a message, so that none can be faked', () => {
    const { lines, log } = logger({ requests: true })
    log.info('one\n10:00:00 error forged\u2028\u202eend')
    expect(lines[0]).toMatch(/one\n {4}10:00:00 error forged\\u2028\\u202eend$/)
  })

  it('quote attribute names that contain a line break', () => {
    const { lines, log } = logger({ requests: true })
    log.info({ 'a\n10:00:00 error forged': 1, größe: 2, 'http.route': '/' }, 'one')
    expect(lines[0]?.split('\n')).toHaveLength(1)
    expect(lines[0]).toMatch(/one "a\\n10:00:00 error forged"=1 größe=2 http\.route="\/"$/)
  })

  it('contain the cause of an error', () => {
    const { lines, log } = logger({ requests: true })
    log.warn({ err: new Error('outer', { cause: new Error('inner') }) }, 'broke')
    expect(lines[0]).toMatch(/Error: outer\n[^]*Caused by: Error: inner\n {8}at /)
  })

  it('omit warnings of single requests, but not errors', () => {
    const { lines, log } = logger({ requests: false })
    log.warn({ requestId: 'r-1' }, 'Workflow execution failed')
    log.error({ requestId: 'r-2' }, 'Internal server error')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('Internal server error')
  })
})
