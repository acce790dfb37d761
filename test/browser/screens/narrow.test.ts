import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const SIZE = { width: 390, height: 844 }
const project = new ConsoleProject()
let executionId = ''

beforeAll(async () => {
  await project.start()
  executionId = await project.execute('order', { orderId: 'a', amount: 1 })
})
afterAll(() => project.end())

describe('the navigation of a narrow window', () => {
  it('opens over the page, keeps the focus, and closes with Escape and with a choice', async () => {
    const { page, axe, complaints } = await project.browser.open('workflows', { size: SIZE })
    const button = page.getByRole('button', { name: 'Open navigation' })
    expect(await page.getByRole('navigation', { name: 'Console' }).count()).toBe(0)
    await button.click()
    const drawer = page.getByRole('dialog', { name: 'Navigation' })
    await drawer.waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Workflows')
    expect(await axe()).toEqual([])
    const links = await drawer.getByRole('link').count()
    for (let pressed = 0; pressed < links + 8; pressed++) {
      await page.keyboard.press('Tab')
      // the browser's own bar comes between the last and the first element
      expect(await page.evaluate(`document.activeElement.closest('dialog, body').id`)).not.toBe('content')
      expect(await page.evaluate(`document.activeElement.closest('main') === null`)).toBe(true)
    }
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Open navigation')
    await button.click()
    await drawer.getByRole('link', { name: 'Runs', exact: true }).click()
    await expect.poll(() => page.locator('h1').innerText()).toBe('Runs')
    await drawer.waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    expect(complaints).toEqual([])
  })

  it('is beside the page when the window is wide enough', async () => {
    const { page } = await project.browser.open('workflows', { size: { width: 1024, height: 700 } })
    await page
      .getByRole('navigation', { name: 'Console' })
      .getByRole('link', { name: 'Runs', exact: true })
      .waitFor()
    expect(await page.getByRole('button', { name: 'Open navigation' }).count()).toBe(0)
    await page.setViewportSize(SIZE)
    await page.getByRole('button', { name: 'Open navigation' }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Console' }).count()).toBe(0)
  })
})

describe('a table of a narrow window', () => {
  it('is a list whose rows name their values, and opens with Enter', async () => {
    const { page } = await project.browser.open('executions', { size: SIZE })
    const row = page.getByRole('row').filter({ hasText: 'order' }).first()
    await expect.poll(() => row.innerText()).toMatch(/completed[^]*order[^]*Duration/)
    const boxes = await row.getByRole('gridcell').all()
    for (const cell of boxes) {
      const box = await cell.boundingBox()
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(SIZE.width)
    }
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain(`executions/${executionId}`)
  })
})

describe('the list of executions of a window of 1024 px', () => {
  it('shows when each was started', async () => {
    const { page } = await project.browser.open('executions', { size: { width: 1024, height: 700 } })
    const cell = page.getByRole('row').nth(1).getByText('ago')
    const box = (await cell.boundingBox()) ?? { x: 0, width: 0 }
    expect(box.x).toBeGreaterThan(0)
    expect(box.x + box.width).toBeLessThanOrEqual(1024)
    expect(await page.getByRole('columnheader', { name: 'Started' }).isVisible()).toBe(true)
    const scrolls = `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('[role=grid]'))`
    expect(await page.evaluate(scrolls)).toBe(false)
  })
})

describe('a suspended execution in a narrow window', () => {
  it('shows the whole request, and its button is not below an inner scroll', async () => {
    const id = await project.execute('order', { orderId: 'phone', amount: 500 })
    const { page } = await project.browser.open(`executions/${id}`, { size: SIZE })
    const panel = page.locator('[data-resume]')
    const question = panel.getByText('over limit')
    expect((await question.boundingBox())?.width).toBeGreaterThan(200)
    const scrolls = `(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1)(document.querySelector('[data-resume]'))`
    expect(await page.evaluate(scrolls)).toBe(false)
  })
})

describe('the timeline of a narrow window', () => {
  it('has its bars in view', async () => {
    const { page } = await project.browser.open(`executions/${executionId}`, { size: SIZE })
    const tree = page.getByRole('tree').first()
    await tree.waitFor()
    const scrolls = `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector('[role=tree]'))`
    expect(await page.evaluate(scrolls)).toBe(false)
    const bar = await tree
      .getByTitle(/completed/)
      .first()
      .boundingBox()
    expect((bar?.x ?? 0) + (bar?.width ?? SIZE.width)).toBeLessThan(SIZE.width)
  })
})
