import pc from 'picocolors'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { LogLines } from '../../../../src/cli/print/log-lines.ts'

function logger({ requests }: { requests: boolean }) {
  const lines: string[] = []
  const terminal = { note: (text: string) => void lines.push(text), notePaint: pc.createColors(false) }
  return { lines, log: pino({ base: null }, new LogLines(terminal, { requests })) }
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

  it('leave failed requests to the command that made them, but not what broke', () => {
    const { lines, log } = logger({ requests: false })
    log.warn({ requestId: 'r-1' }, 'Workflow execution failed')
    log.error({ requestId: 'r-2' }, 'Internal server error')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('Internal server error')
  })
})
