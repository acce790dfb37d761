import { defineConfig } from 'agentserver'
import { crashEveryStep } from 'agentserver/testing'
import { describe, expect, it, vi } from 'vitest'
import { purchase } from '../../../examples/docs/crashes.ts'
import { order as functionOrder } from '../../../examples/docs/functions/order.ts'
import { birthdayCard } from '../../../examples/docs/ported/birthday-card.ts'
import { digest, digests } from '../../../examples/docs/from-inngest/fan-out.ts'
import { meal } from '../../../examples/docs/from-temporal/food-delivery.ts'
import { reminders } from '../../../examples/docs/from-temporal/sleep-for-days.ts'
import { order as sagaOrder } from '../../../examples/docs/sagas/order.ts'
import { trip } from '../../../examples/docs/sagas/trip.ts'
import { invoice } from '../../../examples/invoice-approval/src/workflows/invoice.ts'
import { expense } from '../../../templates/approval/src/workflows/expense.ts'
import { salesReport } from '../../../templates/auth/src/workflows/sales-report.ts'
import basic from '../../../templates/basic/agentserver.config.ts'
import { order } from '../../../templates/basic/src/workflows/order.ts'

for (const name of ['AGENTSERVER_MODEL', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OLLAMA_HOST'])
  vi.stubEnv(name, '')

const CLEAN = { repeatedWithoutKey: [], differentResults: [], unfinished: [], unstableIds: [] }
const email = 'ada@example.com'

const items = (sku: string) => [{ sku, quantity: 1 }]
const laptop = {
  employee: email,
  manager: 'grace@example.com',
  purpose: 'Laptop',
  items: [{ what: 'Laptop', cents: 189_900 }],
}
const mealEvents = [
  { name: 'meal.picked-up', key: 'A-1', data: { courier: 'Ada' } },
  { name: 'meal.delivered', key: 'A-1', data: {} },
  { name: 'meal.rated', key: 'A-1', data: { stars: 5 } },
]

/** Proofs by the name of the workflow. */
const PROOFS: Readonly<Record<string, () => Promise<unknown>>> = {
  'a small order of the template basic': () =>
    crashEveryStep(order, { config: basic, input: { orderId: 'P-1', email, items: items('mug') } }),
  'an order of the template basic that is approved': () =>
    crashEveryStep(order, {
      config: basic,
      input: { orderId: 'P-2', email, items: items('desk') },
      resume: [{ approved: true }],
    }),
  'an order of the template basic that is rejected': () =>
    crashEveryStep(order, {
      config: basic,
      input: { orderId: 'P-3', email, items: items('desk') },
      resume: [{ approved: false, note: 'Too large' }],
    }),
  'an expense of the template approval': () =>
    crashEveryStep(expense, {
      input: laptop,
      resume: [
        { approved: true, by: 'grace@example.com' },
        { approved: true, by: 'finance@example.com' },
      ],
    }),
  'a report of the template auth': () =>
    crashEveryStep(salesReport, {
      input: { month: '2026-05' },
      options: { user: { id: 'ada', tenantId: 'north' } },
    }),
  'an invoice that is approved': () =>
    crashEveryStep(invoice, {
      input: {
        invoiceId: 'P-1',
        supplier: 'Desks Ltd',
        lines: [{ description: 'Services', cents: 180_000 }],
        totalCents: 180_000,
      },
      resume: [{ approved: true, approver: 'Grace' }],
    }),
  'the purchase of the guide Testing': () =>
    crashEveryStep(purchase, { input: { total: 250 }, resume: [{ approved: true }] }),
  'the order of the guide Functions': () =>
    crashEveryStep(functionOrder, { input: { orderId: 'A-1', total: 400 }, resume: [{ approved: true }] }),
  'the order of the guide Sagas': () => crashEveryStep(sagaOrder, { input: { total: 250 } }),
  'the trip of the guide Sagas': () => crashEveryStep(trip, { input: { city: 'Venice', days: 3 } }),
  'the food delivery': () =>
    crashEveryStep(meal, {
      input: { orderId: 'A-1', dish: 'Ramen', cents: 1400 },
      resume: { accept: { accepted: true, minutes: 15 } },
      events: mealEvents,
    }),
  'the mails of sleep-for-days': () =>
    crashEveryStep(reminders, {
      input: { email },
      events: [{ name: 'complete', key: email, data: { reason: 'unsubscribed' }, after: 'mail-3' }],
    }),
  'the fan-out': () =>
    crashEveryStep(digests, {
      input: { week: '48' },
      config: defineConfig({ workflows: [digests, digest] }),
    }),
  'the birthday card': () =>
    crashEveryStep(birthdayCard, {
      input: { name: 'Ada', email, birthday: '2020-01-01T00:00:00Z', guests: ['grace@example.com'] },
      resume: [{ comes: true }],
    }),
}

/** What a project begins with survives a crash at every step: nothing is repeated, changed or left open. */
describe('a crash at every step changes nothing of', () => {
  it.each(Object.keys(PROOFS))('%s', async (name) => {
    expect(await PROOFS[name]?.()).toMatchObject(CLEAN)
  })
})
