import { crashEveryStep } from 'agentserver/testing'
import { expect, test } from 'vitest'
import { payments, purchase } from './crashes.ts'

test('a purchase survives a crash at every step', async () => {
  const report = await crashEveryStep(purchase, {
    input: { total: 250 },
    resume: { approve: { approved: true } },
    effects: payments,
  })
  expect(report).toMatchObject({
    repeatedWithoutKey: [],
    differentResults: [],
    unfinished: [],
    unstableIds: [],
  })
}, 60_000)
