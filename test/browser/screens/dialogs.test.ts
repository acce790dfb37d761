import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const project = new ConsoleProject()
const ids: Record<string, string> = {}

beforeAll(async () => {
  await project.start()
  ids['done'] = await project.execute('order', { orderId: 'a', amount: 1 })
  ids['waiting'] = await project.execute('order', { orderId: 'b', amount: 500 })
})
afterAll(() => project.end())

/** Text or name of the focused element. */
const focused = (page: Page) =>
  page.evaluate<string>(`(() => {
    const { activeElement: one } = document
    return one.getAttribute('aria-label') ?? one.innerText
  })()`)

async function openWaiting() {
  const opened = await project.browser.open(`executions/${ids['waiting']}`)
  await opened.page.getByRole('button', { name: 'Cancel', exact: true }).waitFor()
  return opened
}

describe('a dialog', () => {
  it('keeps the focus inside, and returns it to where it was', async () => {
    const { page, complaints } = await openWaiting()
    await page.getByRole('button', { name: 'Cancel', exact: true }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: /^Cancel/ })
    await dialog.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.matches("[role=dialog] input")')).toBe(true)
    const seen = new Set<string>()
    for (let count = 0; count < 8; count++) {
      seen.add(await focused(page))
      expect(await page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true)
      await page.keyboard.press('Tab')
      await expect
        .poll(() => page.evaluate('document.activeElement.closest("[role=dialog]") !== null'))
        .toBe(true)
    }
    expect([...seen]).toEqual(expect.arrayContaining(['Close', 'Keep running', 'Cancel run']))
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Cancel')
    expect(complaints).toEqual([])
  })

  it.each([
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['the backdrop', (page: Page) => page.mouse.click(5, 5)],
    ['the close button', (page: Page) => page.getByRole('button', { name: 'Close', exact: true }).click()],
    ['the cancel button', (page: Page) => page.getByRole('button', { name: 'Keep running' }).click()],
  ])('asks before %s discards what was entered', async (_, leave) => {
    const { page, complaints, axe } = await openWaiting()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: /^Cancel/ })
    await dialog.getByLabel('Reason').fill('too late')
    await leave(page)
    const question = page.getByRole('alertdialog', { name: 'Discard changes?' })
    await question.waitFor()
    expect(await axe()).toEqual([])
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('too late')
    await leave(page)
    await question.getByRole('button', { name: 'Discard' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Cancel')
    expect(complaints).toEqual([])
  })

  it('closes without a question when nothing was entered', async () => {
    const { page } = await openWaiting()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: /^Cancel/ })
    await dialog.getByLabel('Reason').fill('x')
    await dialog.getByLabel('Reason').fill('')
    await page.mouse.click(5, 5)
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Cancel')
  })

  it('is not reached by the shortcuts of the page', async () => {
    const { page } = await openWaiting()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('c')
    await page.keyboard.press('Control+k')
    expect(await page.getByRole('dialog').count()).toBe(1)
  })
})

describe('a menu', () => {
  it('is operated with the keys of the ARIA pattern, and returns the focus', async () => {
    const { page, complaints } = await openWaiting()
    const button = page.getByRole('button', { name: 'Actions' })
    const menu = page.getByRole('menu', { name: 'Actions' })
    const press = async (key: string, expected: string) => {
      await page.keyboard.press(key)
      await expect.poll(() => focused(page)).toBe(expected)
    }
    await button.focus()
    expect(await button.getAttribute('aria-haspopup')).toBe('menu')
    await press('ArrowDown', 'Run again with this input')
    expect(await button.getAttribute('aria-expanded')).toBe('true')
    await press('ArrowDown', 'Compare')
    await press('End', 'Open exported file')
    await press('ArrowDown', 'Run again with this input')
    await press('ArrowUp', 'Open exported file')
    await press('Home', 'Run again with this input')
    await press('e', 'Export as JSON')
    await press('Escape', 'Actions')
    await menu.waitFor({ state: 'detached' })
    await press('ArrowUp', 'Open exported file')
    await press('Escape', 'Actions')
    await press('Enter', 'Run again with this input')
    await page.mouse.click(700, 600)
    await menu.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })
})

describe('tabs', () => {
  it('are selected with arrow keys, Home and End', async () => {
    const { page } = await openWaiting()
    const tab = (name: string) => page.getByRole('tab', { name, exact: true })
    const press = async (key: string, name: RegExp) => {
      await page.keyboard.press(key)
      await expect.poll(() => page.getByRole('tab', { selected: true }).innerText()).toMatch(name)
      await expect.poll(() => focused(page)).toMatch(name)
    }
    await tab('Run').focus()
    await press('ArrowRight', /^Events/)
    await press('ArrowLeft', /^Run/)
    await press('End', /^Logs/)
    await press('ArrowRight', /^Run/)
    await press('End', /^Logs/)
    await press('Home', /^Run/)
    const panel = page.getByRole('tabpanel')
    expect(await panel.getAttribute('aria-labelledby')).toBe(await tab('Run').getAttribute('id'))
  })
})

describe('the search', () => {
  it('is operated with the keys of the ARIA combobox pattern, and returns the focus', async () => {
    const { page, complaints } = await openWaiting()
    await page.getByRole('tab', { name: 'Run', exact: true }).focus()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search' })
    const input = palette.getByRole('combobox', { name: 'Search' })
    const options = palette.getByRole('option')
    await options.nth(3).waitFor()
    await palette.getByText('Searching…').waitFor({ state: 'detached' })
    const active = async () => {
      const id = await input.getAttribute('aria-activedescendant')
      return id === null ? '' : nameOf(await page.locator(`[id="${id}"]`).innerText())
    }
    // without times, which pass
    const nameOf = (text: string) => text.replace(/\d+ \w+ ago|now$/, '')
    const names = (await options.allInnerTexts()).map(nameOf)
    await expect.poll(active).toBe(names[0])
    await page.keyboard.press('ArrowDown')
    await expect.poll(active).toBe(names[1])
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expect.poll(active).toBe(names.at(-1))
    await input.fill('no such command')
    await palette.getByText('Nothing recorded matches').waitFor()
    await input.fill('sched')
    await expect.poll(active).toMatch(/^Schedules/)
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toMatch(/^Run/)
    expect(complaints).toEqual([])
  })
})

describe('the focus', () => {
  it('stays at the button of a refused run', async () => {
    const { page } = await project.browser.open('workflows/order?tab=run', { expected: /status of 503/ })
    await page.route(/\/workflows\/order\/execute/, (route) => route.fulfill({ status: 503, body: '{}' }))
    await page.getByLabel('orderId').fill('refused')
    await page.getByRole('button', { name: 'Run', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: '503' }).waitFor()
    await expect.poll(() => focused(page)).toBe('Run')
  })

  it('stays at the button of a refused resume, and in the page after a successful one', async () => {
    const id = await project.execute('order', { orderId: 'c', amount: 500 })
    const { page } = await project.browser.open(`executions/${id}`, { expected: /status of 503/ })
    const refuse = /\/resume$/
    await page.route(refuse, (route) => route.fulfill({ status: 503, body: '{}' }))
    await page.getByRole('button', { name: 'Approve', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Notifications' }).getByText('503').waitFor()
    await expect.poll(() => focused(page)).toBe('Approve')
    await page.unroute(refuse)
    await page.keyboard.press('Enter')
    await page.locator('header').getByText('completed').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false)
    await expect.poll(() => page.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
  })

  it('stays in the page when the button of the dialog has gone', async () => {
    const id = await project.execute('order', { orderId: 'd', amount: 500 })
    const { page } = await project.browser.open(`executions/${id}`)
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel run' }).click()
    await page.locator('header').getByText('cancelled').waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
  })
})

describe('a tooltip', () => {
  it('is shown at the focused control and at the one under the pointer, until Escape', async () => {
    const { page, complaints, axe } = await openWaiting()
    const tooltip = page.locator('[data-tooltip-popup]')
    const copy = page
      .getByRole('button', { name: 'Copy link' })
      .or(page.locator('main [data-tooltip^=Copy]'))
      .first()
    await copy.hover()
    await tooltip.getByText(/^Copy/).waitFor()
    await tooltip.hover()
    expect(await tooltip.isVisible()).toBe(true)
    await page.locator('main h1').hover()
    await tooltip.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Pause updates' }).focus()
    await page.keyboard.press('Tab')
    await tooltip.getByText('(c)').waitFor()
    expect(await axe()).toEqual([])
    await page.keyboard.press('Tab')
    await tooltip.getByText('(r)').waitFor()
    await page.keyboard.press('Escape')
    await tooltip.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })
})

describe('messages after actions', () => {
  it('are announced, reached with F6, and cover no content at 390 px', async () => {
    const { page, complaints, axe } = await project.browser.open(`executions/${ids['waiting']}`, {
      size: { width: 390, height: 800 },
      prepare: (context) => context.grantPermissions(['clipboard-read', 'clipboard-write']),
    })
    await page.getByRole('button', { name: 'Actions' }).first().click()
    await page.getByRole('menuitem', { name: 'Copy link' }).click()
    const list = page.getByRole('region', { name: 'Notifications' })
    await list.getByText('Copied to clipboard').waitFor()
    expect(await list.getAttribute('aria-live')).toBe('polite')
    await page.keyboard.press('F6')
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Notifications')
    const bottom = await page.evaluate<number>(
      'document.querySelector("main").getBoundingClientRect().bottom',
    )
    const box = await list.boundingBox()
    expect(box?.y).toBeGreaterThanOrEqual(bottom)
    expect(await axe()).toEqual([])
    await list.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => list.getByText('Copied to clipboard').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
