import { createWorkflow, andThen, andWorkflow } from 'agentserver'
import { z } from 'zod'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import type { Deferred } from '../../../src/lib/async/wake-up.ts'

/** Blocks the executions of the workflow `hold` until a test opens the gate for each. */
export class Gate {
  #isRemoved = false
  readonly #doors = new Map<string, { arrived: Deferred<void>; opened: Deferred<void> }>()

  /** Resolves when the execution waits at the gate. */
  arrival(executionId: string): Promise<void> {
    return this.#door(executionId).arrived.promise
  }

  open(executionId: string): void {
    this.#door(executionId).opened.resolve()
  }

  /** Opens the gate for all executions, also for later ones. */
  remove(): void {
    this.#isRemoved = true
    for (const { opened } of this.#doors.values()) opened.resolve()
  }

  async pass(executionId: string): Promise<void> {
    this.#door(executionId).arrived.resolve()
    if (!this.#isRemoved) await this.#door(executionId).opened.promise
  }

  #door(executionId: string) {
    const known = this.#doors.get(executionId)
    if (known) return known
    const door = { arrived: createDeferred<void>(), opened: createDeferred<void>() }
    this.#doors.set(executionId, door)
    return door
  }
}

const shipping = createWorkflow({ id: 'shipping', name: 'Shipping' }).andThen({
  id: 'label',
  execute: ({ data }) => ({ label: data }),
})

/** Charges an order. Above 100, it suspends for an approval. */
const order = createWorkflow({
  id: 'order',
  name: 'Order',
  purpose: 'Ship an order',
  inputSchema: z.object({
    orderId: z.string(),
    amount: z.number(),
    currency: z.string().default('EUR'),
    lines: z.array(z.object({ qty: z.number() })).optional(),
  }),
  resultSchema: z.object({ orderId: z.string(), currency: z.string(), approved: z.boolean() }),
})
  .andThen({ id: 'charge', name: 'Charge', execute: ({ data }) => ({ ...data, approved: false }) })
  .andWhen({
    id: 'big',
    condition: ({ data }) => data.amount > 100,
    step: andThen({
      id: 'approve',
      resumeSchema: z.object({ ok: z.boolean() }),
      suspendSchema: z.object({ amount: z.number() }),
      execute: ({ input, data, resumeData, suspend }) =>
        resumeData
          ? { ...(data as typeof input & { approved: boolean }), approved: resumeData.ok }
          : suspend('over limit', { amount: input.amount }),
    }),
  })
  .andTap({ id: 'audit', execute: ({ emit, data }) => emit('audited', data) })

/** Waits at the gate, then continues. */
const hold = (gate: Gate) =>
  createWorkflow({ id: 'hold', name: 'Hold' })
    .andThen({
      id: 'wait',
      execute: async ({ executionId, data }) => {
        await gate.pass(executionId)
        return data
      },
    })
    .andThen({
      id: 'after',
      execute: ({ executionId, resumeData }) => ({ held: executionId, resumeData: resumeData ?? null }),
    })

/** Returns its input. */
const echo = createWorkflow({ id: 'echo', name: 'Echo' }).andThen({
  id: 'echo',
  execute: ({ data, context, userId }) => ({ data, context, userId: userId ?? null }),
})

/** Fails with a message that no caller may receive. */
const broken = createWorkflow({ id: 'broken', name: 'Broken' })
  .andThen({ id: 'fine', execute: () => 1 })
  .andThen({
    id: 'break',
    execute: (): number => {
      throw new Error('the password is hunter2', { cause: new TypeError('deeper') })
    },
  })

/** Every kind of step, a retry and a custom event. */
const everything = createWorkflow({ id: 'everything', name: 'Everything' })
  .andThen({
    id: 'flaky',
    retries: { limit: 1, delayMs: 1 },
    execute: ({ attempt, emit }) => {
      if (attempt === 1) throw new Error('not yet')
      emit('tried', { attempt })
      return { attempt }
    },
  })
  .andAll({
    id: 'both',
    steps: [andThen({ id: 'left', execute: () => 'l' }), andThen({ id: 'right', execute: () => 'r' })],
  })
  .andRace({ id: 'first', steps: [andThen({ id: 'fast', execute: () => 'fast' })] })
  .andWhen({ id: 'never', condition: () => false, step: andThen({ id: 'unreached', execute: () => 'no' }) })
  .andTap({
    id: 'tap',
    execute: () => {
      throw new Error('ignored')
    },
  })
  .andWorkflow({ id: 'ship', workflow: shipping, input: () => ({ to: 'Ada' }) })

/** Suspends without a schema for its data. */
const ask = createWorkflow({ id: 'ask', name: 'Ask' }).andThen({
  id: 'question',
  execute: ({ resumeData, suspend }) => ({ answer: resumeData ?? suspend('a question') }),
})

/** Accepts any JSON as its input. */
const anything = createWorkflow({ id: 'anything', name: 'Anything', inputSchema: z.unknown() }).andThen({
  id: 'same',
  execute: ({ data }) => data,
})

/** Suspends when its child suspends. */
const parent = createWorkflow(
  { id: 'parent', name: 'Parent' },
  andWorkflow({ id: 'child', workflow: ask, input: () => ({}) }),
)

export function sampleWorkflows(gate: Gate) {
  return [order, hold(gate), echo, broken, everything, ask, anything, parent]
}
