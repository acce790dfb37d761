import { expect, it } from 'vitest'
import { jsonLogLine } from '../../../../src/cli/serve/open-logs.ts'
import { collectLogs } from '../../../support/telemetry/collect-logs.ts'

it('a JSON line contains all fields, with control characters escaped', () => {
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
