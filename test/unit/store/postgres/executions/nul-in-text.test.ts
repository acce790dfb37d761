import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { escapeNul, unescapeNul } from '../../../../../src/store/postgres/escape-nul.ts'
import { ExecutionMachines } from '../../../../support/postgres/execution-machines.ts'
import type { ExecutionMachine } from '../../../../support/postgres/execution-machines.ts'
import { describeOnPostgres } from '../../../../support/postgres/test-database.ts'
import { eventRow, executionRow, stepRow } from '../../../../suites/store/execution-rows.ts'

const texts = fc.string({
  unit: fc.constantFrom(
    '\0',
    '\u001A',
    '0',
    '1',
    '\\',
    'u0000',
    '"',
    'ü',
    '\u{1F469}',
    '\ud800',
    '\udc00',
    '\n',
  ),
  maxLength: 12,
})

describe('escaped text', () => {
  it('has no NUL, and its original can be restored', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(escapeNul(text)).not.toContain('\0')
        expect(unescapeNul(escapeNul(text))).toBe(text)
      }),
    )
    expect(unescapeNul(escapeNul(null))).toBeNull()
  })
})

describeOnPostgres('executions on Postgres', () => {
  let machines: ExecutionMachines
  let machine: ExecutionMachine
  beforeAll(async () => {
    machines = await ExecutionMachines.create()
    machine = await machines.join(1)
  })
  afterAll(() => machines.remove())

  it('keep NUL in all texts; lone surrogates are replaced, as by every UTF-8 encoder', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(texts, texts, async (text, other) => {
        const { executions } = machine
        const id = `${count++} ${text}`
        const json = JSON.stringify([text, other])
        const row = executionRow({
          id,
          workflowId: text,
          workflowName: other,
          userId: text,
          conversationId: other,
          parentId: text,
          input: json,
          output: json,
          error: json,
          user: json,
          owner: JSON.stringify(text),
          forkedFrom: JSON.stringify({ executionId: text }),
        })
        const stored = {
          ...row,
          ...Object.fromEntries(Object.entries(row).map(([key, value]) => [key, wellFormed(value)])),
        }
        const step = stepRow({ path: 's', output: json, suspendData: json })
        const event = { seq: 2, data: JSON.stringify({ type: 'custom', text, other }) }
        const writes = [{ id, insert: row, steps: [step], events: [eventRow(1, true), event] }]
        expect(await executions.write(writes)).toEqual([true])
        expect(await executions.get(id)).toEqual(stored)
        expect(await executions.steps(id)).toEqual([step])
        expect(await executions.events(id, { after: 1, limit: 1 })).toEqual([event])
        const filter = { id, userId: text, conversationId: other, forkedFrom: text, openTo: row.owner ?? '' }
        expect(await executions.list(filter, { limit: 2, offset: 0 })).toEqual([
          { ...stored, events: [eventRow(1, true)], omitted: [] },
        ])
        expect(await executions.openChildren(text)).toContain(stored.id)
        const set = { status: 'completed', updatedAt: 2, endedAt: 2, error: json } as const
        expect(await executions.write([{ id, update: { from: 'running', set } }])).toEqual([true])
        expect(await executions.openChildren(text)).not.toContain(stored.id)
      }),
      { numRuns: 60 },
    )
  })
})

function wellFormed(value: unknown): unknown {
  return typeof value === 'string' ? Buffer.from(value).toString() : value
}
