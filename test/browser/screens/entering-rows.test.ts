import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject()

beforeAll(async () => {
  await project.start()
  await project.execute('order', { orderId: 'first', amount: 1 })
})
afterAll(() => project.end())

/** Collects the rows that enter in the array `entered` of the page, and for how long. */
const COLLECT = `
  globalThis.entered = []
  addEventListener('animationstart', ({ target, animationName }) => {
    if (animationName === 'enter') entered.push(getComputedStyle(target).animationDuration)
  }, true)
`
const entered = (page: Page) => page.evaluate('entered')

describe('a live list', () => {
  it('lets new rows enter within 120 ms, and those of the first load be there', async () => {
    const { page, complaints } = await project.browser.open('executions', {
      prepare: (context) => context.addInitScript(COLLECT),
    })
    await page.getByRole('row').nth(1).waitFor()
    expect(await entered(page)).toEqual([])
    await project.execute('order', { orderId: 'second', amount: 1 })
    await page.getByRole('row').nth(2).waitFor()
    await expect.poll(() => entered(page)).toEqual(['0.12s'])
    await expect.poll(() => page.locator('.enter').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('moves nothing for users who want no motion', async () => {
    const { page } = await project.browser.open('executions', {
      prepare: (context) => context.addInitScript(COLLECT),
    })
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.getByRole('row').nth(1).waitFor()
    await project.execute('order', { orderId: 'third', amount: 1 })
    await expect.poll(() => entered(page)).toEqual(['1e-05s'])
  })
})
