import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const pay = (line: string) => `
export function pay(account) {
  ${line}
}
`
const BROKEN = pay('throw new Error(`Account ${account} is frozen`)')
const MENDED = pay('return { account, paid: true }')

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createWorkflow, defineConfig } from 'agentserver'
    import { z } from 'zod'
    import { pay } from './pay'
    const payout = createWorkflow({ id: 'payout', name: 'Payout', inputSchema: z.object({ account: z.string() }) })
      .andThen({ id: 'pay', execute: ({ data }) => pay(data.account) })
    const other = createWorkflow({ id: 'other', name: 'Other' })
      .andThen({ id: 'send', execute: () => { throw new Error('not mended') } })
    export default defineConfig({ workflows: [payout, other] })`,
  'pay.ts': BROKEN,
})

beforeAll(async () => {
  await project.start()
  await project.execute('other', {})
  for (let number = 1; number <= 3; number++) await project.execute('payout', { account: `A-${number}` })
})
afterAll(() => project.end())

describe.each([
  ['light', 390],
  ['dark', 1440],
] as const)('the failures, %s, %i px', (theme, width) => {
  it('are one row for all that fail in the same way, with its place and its line', async () => {
    const size = { width, height: 900 }
    const { page, axe, complaints } = await project.browser.open('inbox?tab=failed', { theme, size })
    const rows = page.getByRole('list', { name: 'Failures' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(2)
    const row = rows.filter({ hasText: 'Account A-3 is frozen' })
    const text = await row.innerText()
    expect(text).toContain('Payout › pay')
    expect(text).toContain('pay.ts:3')
    expect(text).toContain('3 ×')
    expect(text).toContain('with generation 1')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(await axe()).toEqual([])
    await row.getByRole('button', { name: 'Replay all' }).click()
    await page.getByRole('dialog', { name: 'Replay a failure' }).waitFor()
    expect(await axe()).toEqual([])
    await page.keyboard.press('Escape')
    await row.getByRole('button', { name: 'Keep as case' }).click()
    await page.getByRole('dialog', { name: 'Keep as case' }).waitFor()
    await page.keyboard.press('Escape')
    await row.getByRole('link', { name: '3 ×' }).click()
    await expect.poll(() => page.getByRole('grid', { name: 'Runs' }).getByRole('row').count()).toBe(1 + 3)
    expect(complaints).toEqual([])
  })
})

describe('a save that mends a failure', () => {
  it('offers to replay the newest execution, and with two clicks all others', async () => {
    const { page, axe, complaints } = await project.browser.open('inbox?tab=failed')
    const rows = page.getByRole('list', { name: 'Failures' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(2)
    await knowsTheCode(page)
    project.write({ 'pay.ts': MENDED })
    const bar = page.getByRole('region', { name: 'Failures in saved files' })
    await expect.poll(() => bar.innerText()).toContain('pay.ts was saved')
    expect(await bar.innerText()).not.toContain('not mended')
    expect(await axe()).toEqual([])
    await bar.getByRole('button', { name: 'Replay with the new code' }).click()
    await bar.getByText('completed').waitFor()
    await bar.getByRole('link', { name: 'Compare with the failed one' }).waitFor()
    await bar.getByRole('button', { name: 'Replay the others' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay a failure' })
    await dialog.getByRole('button', { name: 'Replay all' }).click()
    await dialog.getByText('Replayed 2 of 2: 2 completed').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Show resolved failures' }).click()
    await rows.filter({ hasText: 'Account A-3 is frozen' }).getByText('Resolved').waitFor()
    await expect
      .poll(async () => (await failuresOf('true')).map(({ workflowId }) => workflowId))
      .toEqual(['other'])
    expect(await failuresOf('false')).toMatchObject([{ workflowId: 'payout', count: 3 }])
    expect(complaints).toEqual([])
  })

  it('is replayed at once on every save when that is chosen, and is shown when it fails again', async () => {
    project.write({ 'pay.ts': BROKEN })
    const { page } = await project.browser.open('inbox?tab=failed', { expected: /status of 500/ })
    await knowsTheCode(page)
    await until(async () => {
      await project.execute('payout', { account: 'A-4' })
      return (await failuresOf('true')).length === 2
    }, 'the broken workflow')
    project.write({ 'pay.ts': `// still broken\n${BROKEN}` })
    const bar = page.getByRole('region', { name: 'Failures in saved files' })
    await bar.getByLabel('On every save').check()
    await bar.getByText('failed', { exact: true }).waitFor()
    project.write({ 'pay.ts': MENDED })
    await bar.getByText('completed').waitFor()
    expect(await failuresOf('true')).toMatchObject([{ workflowId: 'other' }])
  })
})

/** What offers replays comes with the overlays, shortly after the first screen; it counts the loads that follow. */
async function knowsTheCode(page: Page): Promise<void> {
  await page.getByText(/^generation \d/).waitFor()
  await page.getByRole('region', { name: /notifications/i }).waitFor({ state: 'attached' })
}

interface Listed {
  readonly workflowId: string
  readonly count: number
}

async function failuresOf(open: 'true' | 'false'): Promise<readonly Listed[]> {
  const { data } = await project.server.get(`/observability/failures?open=${open}`)
  return data as readonly Listed[]
}
