import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const HOUR_MS = 3_600_000
const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createSchedule, createWorkflow, defineConfig } from 'agentserver'
    const fail = createWorkflow({ id: 'fail', name: 'Fail' })
      .andThen({ id: 'charge', execute: () => { throw new Error('card declined') } })
    const again = createWorkflow({ id: 'fail-again', name: 'Fail again' })
      .andThen({ id: 'charge', execute: () => { throw new Error('card declined') } })
    const wait = createWorkflow({ id: 'wait', name: 'Wait' })
      .andThen({ id: 'approve', execute: ({ suspend }) => suspend('approve it') })
    export default defineConfig({
      workflows: [fail, again, wait], schedules: [createSchedule({ id: 'often', every: '15m', workflow: wait })],
    })
  `,
})
beforeAll(async () => {
  await project.start()
  await project.execute('fail', {})
  await project.execute('fail-again', {})
  await project.execute('wait', {})
})
afterAll(() => project.end())

/** Runs in the page. Timers stay real, unlike with the clock of Playwright. */
const shiftClock = `(offset) => {
  const { now } = Date
  globalThis.Date = class extends Date {
    constructor(...values) {
      super(...(values.length === 0 ? [now() + offset] : values))
    }
    static now() {
      return now() + offset
    }
  }
}`

describe.each([
  ['an hour behind', -HOUR_MS],
  ['an hour ahead', HOUR_MS],
])('a browser whose clock is %s', (_, offset) => {
  it('shows times, ranges and failures by the clock of the server', async () => {
    const { page, complaints } = await project.browser.open('executions?last=15m', {
      prepare: (context) => context.addInitScript({ content: `(${shiftClock})(${offset})` }),
    })
    const rows = page.getByRole('row').filter({ hasText: /fail|wait/i })
    await expect.poll(() => rows.count()).toBe(3)
    await expect.poll(() => rows.first().innerText()).toMatch(/\d+ (s|min) ago|now/)
    expect(await page.locator('main').innerText()).not.toMatch(/\d h ago/)
    await page.goto(new URL('/console/inbox', page.url()).href)
    await page.getByRole('heading', { name: 'approve it' }).waitFor()
    await expect.poll(() => page.locator('main').innerText()).toMatch(/\d+ (s|min)( \d+ s)?( ago)?/)
    expect(await page.locator('main').innerText()).not.toMatch(/\d h/)
    await page.goto(new URL('/console/', page.url()).href)
    await page.getByText(/^in \d+ (min|s)$/).waitFor()
    await page.goto(new URL('/console/inbox?tab=failed', page.url()).href)
    const failure = page.getByRole('list', { name: 'Failures' }).getByText('card declined').first()
    await failure.waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/\d h ago/)
    await page.getByRole('button', { name: 'Dismiss all failures' }).click()
    await expect.poll(() => failure.count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
