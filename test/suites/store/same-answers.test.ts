import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ExecutionStore, ExecutionWrite } from '../../../src/store/execution-store.ts'
import type { UsageStore } from '../../../src/store/usage-store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import { ExecutionMachines } from '../../support/postgres/execution-machines.ts'
import { describeOnPostgres } from '../../support/postgres/test-database.ts'
import { eventRow, insertion, stepRow } from './execution-rows.ts'

const IDS = ['a', 'b', 'c']
const STATUSES = ['running', 'suspended', 'completed'] as const
const HOUR_MS = 3_600_000

const id = fc.constantFrom(...IDS)
const status = fc.constantFrom(...STATUSES)
const number = fc.integer({ min: 0, max: 3 })
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

/** Steps and events, whose numbers are chosen when the write is made. */
const content = fc.record({
  steps: fc.array(
    fc.record({
      path: fc.constantFrom('s', 't'),
      status: fc.constantFrom('running', 'completed'),
      attempts: number,
    }),
    { maxLength: 2 },
  ),
  events: fc.array(fc.boolean(), { maxLength: 2 }),
  cancels: fc.boolean(),
})

const update = fc.record({
  kind: fc.constant('update' as const),
  id,
  from: status,
  ownerEpoch: optional(fc.constantFrom(1, 2)),
  lastSequence: optional(fc.integer({ min: 0, max: 6 })),
  set: fc.record(
    {
      status,
      ownerEpoch: fc.constantFrom(1, 2),
      endedAt: fc.constantFrom(null, 5, HOUR_MS),
      output: fc.constantFrom(null, '1'),
      suspension: fc.constantFrom(null, '{}'),
    },
    { requiredKeys: [] },
  ),
  content,
})
const insert = fc.record({
  kind: fc.constant('insert' as const),
  id,
  status,
  ownerEpoch: fc.constantFrom(1, 2),
  content,
})

const change = fc.oneof(update, insert)
const plan = fc.record({ main: change, other: optional(change) })
const batches = fc.array(fc.array(plan, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 })

type Generated<A> = A extends fc.Arbitrary<infer Value> ? Value : never

describeOnPostgres('SQLite and Postgres', () => {
  let machines: ExecutionMachines
  beforeAll(async () => {
    machines = await ExecutionMachines.create()
  })
  afterAll(() => machines.remove())

  it('give the same answers after the same writes', async () => {
    const postgres = await machines.join(1)
    await fc.assert(
      fc.asyncProperty(batches, async (plans) => {
        await machines.database.query(
          'DELETE FROM project.executions; DELETE FROM project.payloads; DELETE FROM project.journal; DELETE FROM project.milestones; DELETE FROM project.hours; UPDATE project.counters SET milestone = 0',
        )
        const sqlite = openSqliteStore({ file: ':memory:' })
        try {
          for (const batch of plans) {
            const writes = batch.map((planned) => writeOf(planned))
            expect(await postgres.executions.write(writes)).toEqual(await sqlite.executions.write(writes))
            expect(await contentsOf(postgres)).toEqual(await contentsOf(sqlite))
          }
        } finally {
          await sqlite.close()
        }
      }),
      { numRuns: 60 },
    )
  })
})

function writeOf({ main, other }: Generated<typeof plan>): ExecutionWrite {
  const write = single(main)
  return other && other.id !== main.id ? { ...write, together: [single(other)] } : write
}

let created = 0

/** Events are appended, so that they always have the next numbers. */
function single(planned: Generated<typeof change>): ExecutionWrite {
  const { steps, events, cancels } = planned.content
  const content = {
    steps: steps.map((step) => stepRow(step)),
    events: events.map((isMilestone, index) => eventRow(index + 1, isMilestone)),
    appends: true,
    ...(cancels && { cancelStepsAt: 77 }),
  }
  if (planned.kind === 'insert') {
    const { id, status, ownerEpoch } = planned
    return { ...insertion({ id, status, ownerEpoch, createdAt: ++created }), ...content }
  }
  const { ownerEpoch, lastSequence, from, set } = planned
  return {
    id: planned.id,
    update: {
      from,
      ...(ownerEpoch !== undefined && { ownerEpoch }),
      ...(lastSequence !== undefined && { lastSequence }),
      set: { ...set, updatedAt: 9 },
    },
    ...content,
  }
}

async function contentsOf({ executions, usage }: { executions: ExecutionStore; usage: UsageStore }) {
  return {
    histories: await Promise.all(IDS.map((one) => executions.history(one))),
    events: await Promise.all(IDS.map((one) => executions.events(one, { after: 0, limit: 100 }))),
    list: await executions.list({}, { limit: 10, offset: 0 }),
    milestones: await executions.milestones({ after: 0, limit: 100 }),
    newest: await executions.newestMilestone(),
    hours: await usage.hours(0),
    counts: await usage.counts({ failedAfter: 0, limit: 10 }),
  }
}
