import { createTestRunner } from 'agentserver/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { messagesTo } from '../src/services/messages.ts'
import { transfersTo } from '../src/services/transfers.ts'
import { expense } from '../src/workflows/expense.ts'

const runner = createTestRunner([expense])
afterAll(() => runner.close())

const manager = 'grace@example.com'
const finance = 'finance@example.com'

const trainOf = (employee: string) => ({
  employee,
  manager,
  purpose: 'Train to Berlin',
  items: [
    { what: 'Ticket', cents: 12_990 },
    { what: 'Seat', cents: 450 },
  ],
})

const laptopOf = (employee: string) => ({
  employee,
  manager,
  purpose: 'Laptop',
  items: [{ what: 'Laptop', cents: 189_900 }],
})

describe('a small expense', () => {
  test('waits for the manager, who receives a message about it', async () => {
    const waiting = await runner.run(expense, trainOf('ada@example.com'))

    expect(waiting.status).toBe('suspended')
    expect(waiting.suspension).toMatchObject({
      stepId: 'manager-decision[0]',
      reason: `Waiting for approval by ${manager}`,
      data: { level: 'manager', approver: manager, totalCents: 13_440 },
    })
    expect(messagesTo(manager)).toContain('ada@example.com requests €134.40: Train to Berlin')
  })

  test('is paid once when the manager approves, although the first response of the bank is lost', async () => {
    const waiting = await runner.run(expense, trainOf('bob@example.com'))
    const done = await waiting.resume({ approved: true, by: manager })

    expect(done.result).toMatchObject({ status: 'paid', decidedBy: [manager], reason: null })
    expect(transfersTo('bob@example.com').map(({ cents }) => cents)).toEqual([13_440])
    const { steps } = await done.record()
    expect(steps.find(({ stepId }) => stepId === 'transfer')?.attempts).toBe(2)
    expect(steps.map(({ stepId }) => stepId)).not.toContain('finance-decision')
  })

  test('is not paid when the manager rejects it, and the employee receives the reason', async () => {
    const waiting = await runner.run(expense, trainOf('carl@example.com'))
    const done = await waiting.resume({ approved: false, by: manager, comment: 'Take the early train' })

    expect(done.result).toMatchObject({
      status: 'rejected',
      transferId: null,
      reason: 'Take the early train',
    })
    expect(transfersTo('carl@example.com')).toEqual([])
    expect(messagesTo('carl@example.com')).toEqual([
      '€134.40 for Train to Berlin: rejected, Take the early train',
    ])
  })

  test('is announced on the second attempt when the mail relay times out', async () => {
    const stranger = 'new@example.com'
    const waiting = await runner.run(expense, { ...trainOf('dora@example.com'), manager: stranger })

    const { steps } = await waiting.record()
    expect(steps.find(({ stepId }) => stepId === 'mail-manager')?.attempts).toBeGreaterThan(1)
    expect(messagesTo(stranger)).toHaveLength(1)
  })
})

describe('a large expense', () => {
  test('needs finance after the manager', async () => {
    const first = await runner.run(expense, laptopOf('erin@example.com'))
    const second = await first.resume({ approved: true, by: manager })

    expect(second.status).toBe('suspended')
    expect(second.suspension?.data).toMatchObject({ level: 'finance', approver: finance })
    expect(transfersTo('erin@example.com')).toEqual([])

    const done = await second.resume({ approved: true, by: finance })
    expect(done.result).toMatchObject({ status: 'paid', decidedBy: [manager, finance] })
    expect(transfersTo('erin@example.com')).toHaveLength(1)
  })

  test('is not paid when finance rejects it', async () => {
    const first = await runner.run(expense, laptopOf('fred@example.com'))
    const second = await first.resume({ approved: true, by: manager })
    const done = await second.resume({ approved: false, by: finance, comment: 'Not in the budget' })

    expect(done.result).toMatchObject({ status: 'rejected', reason: 'Not in the budget' })
    expect(transfersTo('fred@example.com')).toEqual([])
  })

  test('does not reach finance when the manager rejects it', async () => {
    const waiting = await runner.run(expense, laptopOf('gina@example.com'))
    const done = await waiting.resume({ approved: false, by: manager, comment: 'No' })

    expect(done.result).toMatchObject({ status: 'rejected', decidedBy: [manager] })
  })

  test('needs two people: a second decision of the same person is not allowed', async () => {
    const first = await runner.run(expense, laptopOf('hugo@example.com'))
    const second = await first.resume({ approved: true, by: manager })
    const third = await second.resume({ approved: true, by: manager })

    expect(third.status).toBe('suspended')
    expect(third.suspension?.reason).toBe(`${manager} has already decided; a different person must decide`)
    expect((await third.resume({ approved: true, by: finance })).result?.status).toBe('paid')
  })
})

describe('an expense without a decision', () => {
  test('reminds the approver every three days, and is rejected after the last reminder', async () => {
    const slow = 'slow@example.com'
    const waiting = await runner.run(expense, { ...trainOf('kate@example.com'), manager: slow })
    const reminders = () => messagesTo(slow).filter((subject) => subject.startsWith('Reminder:'))

    await runner.advance('2d')
    expect(reminders()).toEqual([])
    await runner.advance('1d')
    expect(reminders()).toEqual(['Reminder: kate@example.com waits for €134.40'])
    await runner.advance('6d')
    expect(reminders()).toHaveLength(3)
    await runner.advance('3d')

    const record = await waiting.record()
    expect(record.output).toMatchObject({
      status: 'rejected',
      reason: `No decision by ${slow} after 3 reminders`,
    })
    expect(transfersTo('kate@example.com')).toEqual([])
  })

  test('is paid when the decision comes after a reminder', async () => {
    const waiting = await runner.run(expense, trainOf('lars@example.com'))
    await runner.advance('4d')
    const reminded = await waiting.settled()
    expect(reminded.status).toBe('suspended')

    const done = await reminded.resume({ approved: true, by: manager })
    expect(done.result?.status).toBe('paid')
  })
})

describe('an invalid expense', () => {
  test('stays suspended when the employee decides', async () => {
    const waiting = await runner.run(expense, trainOf('iris@example.com'))
    const still = await waiting.resume({ approved: true, by: 'iris@example.com' })

    expect(still.status).toBe('suspended')
    expect(still.suspension?.reason).toContain("can't decide on their own expense")
  })

  test('stays suspended when a rejection has no comment', async () => {
    const waiting = await runner.run(expense, trainOf('jack@example.com'))

    await expect(waiting.resume({ approved: false, by: manager })).rejects.toThrow(
      'A rejection needs a comment',
    )
    expect((await waiting.resume({ approved: true, by: manager })).status).toBe('completed')
  })

  test('fails when somebody is their own manager', async () => {
    const execution = await runner.run(expense, trainOf(manager))

    expect(execution.status).toBe('error')
    expect(execution.error?.message).toBe(`${manager} can't be their own manager`)
  })
})
