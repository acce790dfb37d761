import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { andThen, createWorkflow, defineConfig } from '../../../src/index.ts'
import { crashEveryStep } from '../../../src/testing/index.ts'
import type { ProofFinding, ProofReport } from '../../../src/testing/index.ts'
import type { TypedWorkflow } from '../../../src/workflow/definition.ts'
import * as faults from './faults/workflows.ts'
import { effects } from './faults/workflows.ts'

const CLEAN = { repeatedWithoutKey: [], differentResults: [], unfinished: [], unstableIds: [] }

/** Each finding as `<moment> <path>: <step>: <message>`. */
function lines(found: readonly ProofFinding[]): string[] {
  return found.map(({ crash, stepId, message }) => {
    const at = crash ? `${crash.moment} "${crash.path}"` : 'without a crash'
    return `${at}: "${stepId}": ${message}`
  })
}

/** The report, with the kinds of findings that it has. */
async function prove(workflow: TypedWorkflow<never, unknown>): Promise<ProofReport & { kinds: string[] }> {
  const report = await crashEveryStep(workflow as TypedWorkflow<unknown, unknown>, { input: {}, effects })
  const { runs: _, ...found } = report
  const kinds = Object.entries(found).flatMap(([kind, list]) => (list.length > 0 ? [kind] : []))
  return { ...report, kinds }
}

describe('a fault that crashEveryStep finds', () => {
  it('is a charge without an idempotency key', async () => {
    const { kinds, repeatedWithoutKey } = await prove(faults.payWithoutKey)
    expect(kinds).toEqual(['repeatedWithoutKey'])
    expect(lines(repeatedWithoutKey)).toEqual([
      'during "charge": "charge": pay() was called twice without an idempotency key: the call was repeated after its effect. Pass its idempotencyKey: pay(…, { idempotencyKey })',
    ])
  })

  it('is a key that is another one in each attempt', async () => {
    const { kinds, repeatedWithoutKey } = await prove(faults.payWithNewKey)
    expect(kinds).toEqual(['repeatedWithoutKey'])
    expect(lines(repeatedWithoutKey)).toEqual([
      expect.stringMatching(
        /^during "charge": "charge": pay\(\) was called twice with different idempotency keys, .* pass its idempotencyKey/,
      ),
    ])
  })

  it('is a side effect outside of recorded calls', async () => {
    const { kinds, repeatedWithoutKey } = await prove(faults.mailOutside)
    expect(kinds).toEqual(['repeatedWithoutKey'])
    expect(lines(repeatedWithoutKey)).toEqual([
      expect.stringMatching(
        /^before "ship": "": mail\(\) was called twice, outside of recorded calls.*step\.run/,
      ),
    ])
  })

  it('is a POST request without the header Idempotency-Key', async () => {
    const { kinds, repeatedWithoutKey } = await prove(faults.postWithoutKey)
    expect(kinds).toEqual(['repeatedWithoutKey'])
    expect(lines(repeatedWithoutKey)).toEqual([
      expect.stringMatching(
        /^during "order": "order": fetch\(POST .*headers: \{ 'Idempotency-Key': idempotencyKey \}$/,
      ),
    ])
  })

  it('is a compensation without an idempotency key', async () => {
    const { kinds, repeatedWithoutKey } = await prove(faults.refundWithoutKey)
    expect(kinds).toEqual(['repeatedWithoutKey'])
    expect(lines(repeatedWithoutKey)).toEqual([
      expect.stringMatching(/^during "charge:compensate": "charge:compensate": refund\(\) was called twice/),
    ])
  })

  it('is a hook without an idempotency key', async () => {
    const { kinds, repeatedWithoutKey } = await prove(faults.hookWithoutKey)
    expect(kinds).toEqual(['repeatedWithoutKey'])
    expect(lines(repeatedWithoutKey)).toEqual([
      expect.stringMatching(/^during ":onEnd": ":onEnd": mail\(\) was called twice/),
    ])
  })

  it('is a list in memory that completed calls have filled', async () => {
    const { kinds, differentResults } = await prove(faults.listInMemory)
    expect(kinds).toEqual(['differentResults'])
    expect(lines(differentResults)[0]).toMatch(
      /^after "book-mug": "book-mug": result\.booked\.0: expected "mug", got "desk" after a crash/,
    )
  })

  it('is a result that depends on the attempt', async () => {
    const { kinds, differentResults } = await prove(faults.attemptInResult)
    expect(kinds).toEqual(['differentResults'])
    expect(lines(differentResults)[0]).toMatch(
      /^during "create": "create": result\.created: expected true, got false after a crash/,
    )
  })

  it('is an id in the result that is made outside of recorded calls', async () => {
    const { kinds, differentResults } = await prove(faults.idOutside)
    expect(kinds).toEqual(['differentResults'])
    expect(lines(differentResults)).toEqual([
      expect.stringMatching(
        /^before "": "": result\.id: expected .* when the code ran again over the same record: it is made outside of recorded calls\. Make it in one, such as await step\.run/,
      ),
    ])
  })

  it('is a promise that a completed call would have settled', async () => {
    const { kinds, unfinished } = await prove(faults.promiseInMemory)
    expect(kinds).toEqual(['unfinished'])
    expect(lines(unfinished)[0]).toMatch(
      /^after "prepare": "prepare": Nothing happens any more after "prepare"/,
    )
  })

  it('is an id of a call that is random', async () => {
    const { kinds, unstableIds } = await prove(faults.randomIds)
    expect(kinds).toEqual(['unstableIds'])
    expect(lines(unstableIds)[0]).toMatch(/^(?:before|during|after) "line-.*a random number/)
  })

  it('is an order of calls that changes from pass to pass', async () => {
    const { kinds, unstableIds } = await prove(faults.otherOrder)
    expect(kinds).toEqual(['unstableIds'])
    expect(lines(unstableIds)[0]).toMatch(
      /^\w+ "line-\d": .*outside of recorded calls.*\. Take it from the input/,
    )
  })
})

const pays = {
  charged: [] as string[],
  pay: async (idempotencyKey: string) => {
    if (!pays.charged.includes(idempotencyKey)) pays.charged.push(idempotencyKey)
    return { id: `ch-${pays.charged.length}` }
  },
}

const order = createWorkflow({
  id: 'order',
  inputSchema: z.object({ total: z.number() }),
  run: async ({ input, step }) => {
    const { approved } = await step.suspend('approve', {
      reason: 'Needs approval',
      resumeSchema: z.object({ approved: z.boolean() }),
    })
    if (!approved) return { status: 'rejected' }
    await step.run('charge', ({ idempotencyKey }) => pays.pay(idempotencyKey), { retries: 2 })
    await Promise.all(['mug', 'desk'].map((line) => step.run(`book-${line}`, () => line)))
    const quick = await Promise.race([step.run('swift', () => 'swift'), step.run('parcel', () => 'parcel')])
    await step.sleep('cool-down', '10m')
    const parcel = await step.waitForEvent('picked-up', { event: 'pickup', key: 'A-1', timeout: '7d' })
    return { status: 'shipped', total: input.total, quick, parcel, at: new Date().toISOString() }
  },
})

const GIVEN = {
  input: { total: 250 },
  resume: { approve: { approved: true } },
  events: [{ name: 'pickup', key: 'A-1', data: { van: 7 } }],
}

describe('crashEveryStep', () => {
  it('finds nothing in a workflow that waits for a person, a time and an event, with parallel calls and a race', async () => {
    const report = await crashEveryStep(order, { ...GIVEN, effects: { pay: pays.pay } })
    expect(report).toMatchObject(CLEAN)
    // twice without a crash, and for each call and the end of the workflow
    expect(report.runs).toBeGreaterThan(8)
    // one execution, whatever was crashed
    expect(pays.charged).toEqual(['prove-order:charge'])
  })

  it('takes resume data in order, and an event after a step', async () => {
    const given = { input: { total: 1 }, resume: [{ approved: true }] }
    const events = [{ name: 'pickup', key: 'A-1', after: 'charge' }]
    expect(await crashEveryStep(order, { ...given, events, seed: 7 })).toMatchObject(CLEAN)
  })

  it('runs the steps of a chain, of groups and of child executions', async () => {
    const child = createWorkflow({ id: 'child' }).andThen({ id: 'label', execute: () => 'label' })
    const crashes: string[] = []
    const parent = createWorkflow({ id: 'parent' })
      .andThen({ id: 'lines', execute: () => ['mug', 'desk'] })
      .andForEach({
        id: 'each',
        items: ({ data }) => data,
        step: andThen({ id: 'pack', execute: ({ data }) => data }),
      })
      .andWorkflow({ id: 'ship', workflow: child, input: () => ({}) })
      .andThen({ id: 'note', execute: () => notes.write('shipped').then(() => 'noted') })
    const notes = {
      write: async (text: string) => {
        crashes.push(text)
      },
    }
    const { repeatedWithoutKey, ...report } = await crashEveryStep(parent, { input: {}, effects: notes })
    expect(report).toMatchObject({ differentResults: [], unfinished: [], unstableIds: [] })
    expect(repeatedWithoutKey.map(({ crash }) => crash)).toEqual([{ path: 'note', moment: 'during' }])
  })

  it('restores the effects, also after an error', async () => {
    const { pay } = pays
    const { fetch } = globalThis
    const failing = crashEveryStep(order, { ...GIVEN, input: { total: 'x' } as never, effects: pays })
    await expect(failing).rejects.toThrow(TypeError)
    const refused = crashEveryStep(order, { ...GIVEN, input: { total: 'x' } as never, effects: { pay } })
    await expect(refused).rejects.toThrow('input.total')
    expect([pays.pay, globalThis.fetch]).toEqual([pay, fetch])
  })

  it('reports what the workflow waits for when it is not given', async () => {
    const { input } = GIVEN
    const { runs, unfinished } = await crashEveryStep(order, { input })
    expect(runs).toBe(1)
    expect(lines(unfinished)).toEqual([
      `without a crash: "approve": "approve" waits for resume data, and there is none: give it in resume: { 'approve': … }`,
    ])
    const endless = createWorkflow({
      id: 'endless',
      run: ({ step }) => step.waitForEvent('paid', { event: 'payment', key: 'A-1' }),
    })
    const waiting = await crashEveryStep(endless, { input: {} })
    expect(lines(waiting.unfinished)).toEqual([
      `without a crash: "paid": "paid" waits for an event, and there is none: give it in events: [{ name: 'payment', key: 'A-1', data: … }]`,
    ])
  })

  it('refuses what does not fit the workflow', async () => {
    const refused = async (options: object) =>
      crashEveryStep(order, { ...GIVEN, ...options }).then(
        () => 'accepted',
        (error: Error) => error.message,
      )
    expect(await refused({ resume: { aprove: { approved: true } } })).toBe(
      'resume names "aprove", and the workflow has run no step with this id. Did you mean "approve"?',
    )
    expect(await refused({ resume: { approve: { approved: 1 } } })).toMatch(
      /^resume for "approve": .*approved/,
    )
    expect(await refused({ resume: [{ approved: true }, 2] })).toBe(
      'resume has 2 entries, and the workflow waited for resume data once',
    )
    expect(await refused({ events: [...GIVEN.events, { name: 'x', after: 'chagre' }] })).toBe(
      'events: after names "chagre", and the workflow has run no step with this id. Did you mean "charge"?',
    )
    expect(await refused({ events: [...GIVEN.events, { name: 'paid' }] })).toBe(
      'The event "paid" was never sent: no step has waited for it',
    )
    expect(await refused({ effects: { pay: 1 } })).toBe(
      'crashEveryStep(): effects.pay must be a function, not number',
    )
    expect(await refused({ config: defineConfig({ workflows: [] }) })).toBe(
      'crashEveryStep(): config has no workflow with the id "order": pass one of its workflows',
    )
  })
})
