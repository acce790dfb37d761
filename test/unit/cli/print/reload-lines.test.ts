import pc from 'picocolors'
import { describe, expect, it } from 'vitest'
import { loadFailedLines, reloadedLine } from '../../../../src/cli/serve/project-reporter.ts'
import { LoadError } from '../../../../src/config/loader/errors/load-error.ts'

const terminal = { notePaint: pc.createColors(false) }
const event = {
  generation: 8,
  at: '2026-01-01T00:00:00.000Z',
  durationMs: 11.2,
  files: ['order.ts'],
  modules: 3,
  env: [],
}

describe('a reload line', () => {
  it('contains changed files, number of modules, duration and generation', () => {
    expect(reloadedLine(event, terminal)).toBe('✓ reloaded order.ts → 3 modules, 11 ms, generation 8')
  })

  it('lists the first of many files, and variables without values', () => {
    const files = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts']
    expect(reloadedLine({ ...event, files }, terminal)).toContain('reloaded a.ts, b.ts, c.ts and 2 more →')
    const env = [{ key: 'API_KEY', kind: '~' as const }]
    expect(reloadedLine({ ...event, files: [], env }, terminal)).toContain('reloaded .env (~API_KEY) →')
  })

  it('contains the generation in service after a failed load', () => {
    const error = new LoadError({ name: 'ConfigError', message: 'unknown option "prot"', hint: 'Remove it.' })
    const failed = { generation: 7, at: event.at, durationMs: 3, error }
    const text = loadFailedLines(failed, terminal)
    expect(text).toBe(
      'ConfigError: unknown option "prot"\nRemove it.\nSee docs/troubleshooting.md#invalid-configuration\nstill serving generation 7',
    )
    expect(loadFailedLines({ ...failed, generation: 0 }, terminal)).toContain('no configuration is served')
  })
})
