import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { newestTrace, tracedProject } from '../../support/browser/traced-project.ts'
import { chooseOption } from '../../support/browser/choose-option.ts'

const project = tracedProject()

beforeAll(async () => {
  await project.start()
  await project.execute('order', { orderId: 'a' })
  await project.execute('order', { fails: true })
})
afterAll(() => project.end())

const linesOf = (page: Page) => page.getByRole('listbox', { name: 'Log' }).getByRole('option')
const LIST = `document.querySelector('[role=listbox]')`
const topOf = async (page: Page) => Number(await page.evaluate(`${LIST}.scrollTop`))
const toEnd = (page: Page) =>
  page.evaluate(`Math.round(${LIST}.scrollHeight - ${LIST}.clientHeight - ${LIST}.scrollTop)`)
/** Top and height of the rendered lines, from the first one, in pixels. */
const boxes = async (page: Page) =>
  (await page.evaluate(`[...${LIST}.querySelectorAll('[role=option]')]
    .map((line) => line.getBoundingClientRect()).map(({ top, height }) => ({ top, height })).sort((a, b) => a.top - b.top)`)) as {
    readonly top: number
    readonly height: number
  }[]
const say = (text: string, count: number, more: object = {}) =>
  project.execute('lines', { text, count, ...more })

describe('the log, in both themes', () => {
  it('shows records and the details of one, without accessibility or CSP violations', async () => {
    const { page, complaints, axeInBothThemes } = await project.browser.open('logs')
    const lines = page.getByRole('log', { name: 'Log' }).getByRole('option')
    await page
      .getByRole('option', { name: /error not paid RangeError: over the limit workflowId=order stepId=pay$/ })
      .click()
    const panel = page.getByRole('region', { name: 'not paid', exact: true })
    expect(await panel.innerText()).toMatch(
      /RangeError: over the limit[\s\S]*src\/workflows\.ts:\d+[\s\S]*Caused by Error: no money/,
    )
    expect(await lines.count()).toBeGreaterThan(4)
    // one line for a failure, and the fields of a record beside its message
    expect(await lines.filter({ hasText: 'not paid' }).count()).toBe(1)
    expect(await lines.filter({ hasText: 'checking the order' }).first().innerText()).toMatch(
      /checking the order\s*orderId=o-7\s*nested={"deep":\[1,2\]}\s*workflowId=order\s*stepId=check$/,
    )
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('shows hostile messages and attributes as text', async () => {
    await project.execute('hostile', {})
    const { page, complaints, axeInBothThemes } = await project.browser.open('logs?workflowId=hostile', {
      size: { width: 1024, height: 700 },
    })
    const line = linesOf(page).first()
    expect(await line.innerText()).toContain(String.raw`\u202ebackwards\u202c red`)
    await line.click()
    await page.getByRole('heading', { name: 'Error', exact: true }).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect(await page.title()).not.toContain('broken in')
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await axeInBothThemes()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('the log', () => {
  it('is filtered by relative ranges first, and by any two times', async () => {
    const { page } = await project.browser.open('logs')
    const lines = linesOf(page)
    await lines.nth(2).waitFor()
    await chooseOption(page.getByLabel('Time'), 'last 15 minutes')
    await expect.poll(() => new URL(page.url()).search).toBe('?last=15m')
    await lines.nth(2).waitFor()
    await chooseOption(page.getByLabel('Time'), 'custom')
    await page.getByLabel('Before').fill('2020-01-01T00:00')
    await page.getByText('No log records match these filters').waitFor()
    expect(new URL(page.url()).searchParams.get('until')).toMatch(/^20(19|20)-.*Z$/)
  })

  it('keeps its filters in the URL, under the parameter names of the API', async () => {
    const { page } = await project.browser.open('logs?workflowId=order&level=warn')
    const lines = linesOf(page)
    await expect.poll(async () => (await lines.allInnerTexts()).join()).toMatch(/slow.*slow.*not paid/s)
    expect((await lines.allInnerTexts()).join()).not.toContain('checking')
    await chooseOption(page.getByLabel('Level'), 'error')
    await expect.poll(async () => (await lines.allInnerTexts()).join()).toMatch(/^(?!.*slow).*not paid/s)
    expect(new URL(page.url()).search).toBe('?workflowId=order&level=error')
    // letters at a select choose its options
    await page.locator('main h1').focus()
    await page.keyboard.press('f')
    await page.keyboard.type('declined and more')
    await page.getByText('No log records match these filters').waitFor()
    await page.getByLabel('Search').fill('LIMIT paid')
    await expect.poll(() => lines.count()).toBe(1)
    // set filters are visible
    await page.getByLabel('Span').fill('nope')
    await page.getByText('Request failed: HTTP 400').waitFor()
  })

  it('adds only live records that match the filters', async () => {
    const { page } = await project.browser.open('logs?workflowId=lines&q=wanted')
    await page.getByText('No log records match these filters').waitFor()
    await say('unasked', 3)
    await say('wanted', 2)
    await expect.poll(() => linesOf(page).allInnerTexts()).toHaveLength(2)
    expect((await linesOf(page).allInnerTexts()).join()).not.toContain('unasked')
  })

  it('follows new records, keeps its position after scrolling up, and jumps back', async () => {
    await say('before', 300)
    const { page } = await project.browser.open('logs?workflowId=lines')
    const list = page.getByRole('listbox', { name: 'Log' })
    await page.getByRole('option', { name: /before 299/ }).waitFor()
    await say('while at the end', 40)
    await page.getByRole('option', { name: /while at the end 39/ }).waitFor()
    await list.hover()
    await page.mouse.wheel(0, -1500)
    await page.getByRole('button', { name: 'Jump to newest' }).waitFor()
    const top = await topOf(page)
    await say('while away', 50)
    await page.getByRole('button', { name: '50 new' }).waitFor()
    expect(top).toBeGreaterThan(0)
    expect(await topOf(page)).toBe(top)
    await page.getByRole('button', { name: '50 new' }).click()
    await page.getByRole('option', { name: /while away 49/ }).waitFor()
  })

  it('does not move under the pointer, and brings the new records on a click', async () => {
    const word = `still${Date.now()}`
    await say(`${word} before`, 80)
    const { page, complaints, axe } = await project.browser.open(`logs?q=${word}`)
    await page.getByRole('option', { name: /before 79/ }).waitFor()
    await page.getByRole('listbox', { name: 'Log' }).hover()
    const shown = await linesOf(page).allInnerTexts()
    await say(`${word} meanwhile`, 12)
    const button = page.getByRole('button', { name: '12 new records' })
    await button.waitFor()
    expect(await linesOf(page).allInnerTexts()).toEqual(shown)
    expect(await axe()).toEqual([])
    await button.click()
    await page.getByRole('option', { name: /meanwhile 11/ }).waitFor()
    await button.waitFor({ state: 'detached' })
    // without the pointer it follows again, unless text is selected
    await page.mouse.move(5, 5)
    await say(`${word} away`, 3)
    await page.getByRole('option', { name: /away 2/ }).waitFor()
    await page.evaluate(`getSelection().selectAllChildren(${LIST}.querySelector('[role=option]'))`)
    await say(`${word} selected`, 4)
    await page.getByRole('button', { name: '4 new records' }).waitFor()
    expect(await page.evaluate('getSelection().isCollapsed')).toBe(false)
    await page.evaluate('getSelection().removeAllRanges()')
    await page.getByRole('option', { name: /selected 3/ }).waitFor()
    expect(complaints).toEqual([])
  })

  it('wraps long lines to their true height when asked to, also after a reload', async () => {
    const word = `wide${Date.now()}`
    await say(`${word} ${'and wider '.repeat(60)}\nlast`, 60)
    const { page, complaints, axe } = await project.browser.open(`logs?q=${word}`)
    await linesOf(page).first().waitFor()
    expect((await boxes(page)).every(({ height }) => height === 22)).toBe(true)
    await page.getByLabel('Wrap').check()
    await expect.poll(async () => (await boxes(page)).every(({ height }) => height > 40)).toBe(true)
    const overlaps = async () => {
      const lines = await boxes(page)
      const ends = lines.map(({ top, height }) => top + height)
      return lines.slice(1).filter(({ top }, at) => Math.abs(top - (ends[at] ?? 0)) > 1)
    }
    await expect.poll(overlaps).toEqual([])
    await expect.poll(() => toEnd(page)).toBe(0)
    // follows new lines until the user scrolls up
    await say(`${word} ${'more '.repeat(100)}`, 5)
    await page.getByRole('option', { name: new RegExp(`${word} .*more 4`) }).waitFor()
    await expect.poll(() => toEnd(page)).toBe(0)
    await page.getByRole('listbox', { name: 'Log' }).hover()
    await page.mouse.wheel(0, -900)
    await page.getByRole('button', { name: 'Jump to newest' }).waitFor()
    const shown = await linesOf(page).nth(8).innerText()
    const top = (await linesOf(page).nth(8).boundingBox())?.y
    await say(`${word} while away`, 10)
    await page.getByRole('button', { name: '10 new' }).waitFor()
    expect(
      (
        await linesOf(page)
          .filter({ hasText: shown.split('\n').at(-1) ?? '' })
          .first()
          .boundingBox()
      )?.y,
    ).toBeDefined()
    expect((await linesOf(page).nth(8).boundingBox())?.y).toBe(top)
    expect(await axe()).toEqual([])
    await page.reload()
    await expect.poll(() => page.getByLabel('Wrap').isChecked()).toBe(true)
    expect(complaints).toEqual([])
  })

  it('is paused and resumed with the space bar, without losing records', async () => {
    const { page } = await project.browser.open('logs?q=paused')
    await say('paused', 5)
    const lines = linesOf(page)
    await expect.poll(() => lines.count()).toBe(5)
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Resume updates' }).waitFor()
    await say('paused', 12, { everyMs: 5 })
    await page.getByText('12 new records').waitFor()
    expect(await lines.count()).toBe(5)
    await page.keyboard.press('Space')
    await expect.poll(() => lines.count()).toBe(17)
  })

  it('groups repeats into one line', async () => {
    // a second attempt finds no records of the first
    const word = `again${Date.now()}`
    const { page } = await project.browser.open(`logs?q=${word}`)
    await say(word, 7, { same: true })
    await expect.poll(() => linesOf(page).count()).toBe(7)
    await page.getByLabel('Group repeats').check()
    await expect.poll(() => linesOf(page).allInnerTexts()).toHaveLength(1)
    expect(await linesOf(page).innerText()).toContain('×7')
    await say(word, 2, { same: true })
    await expect.poll(() => linesOf(page).innerText()).toContain('×9')
  })

  it('fetches older records up to the first', async () => {
    await say('long', 1200)
    const { page } = await project.browser.open('logs?q=long')
    await page.getByRole('option', { name: /long 1199/ }).waitFor()
    await page.getByRole('listbox').focus()
    await expect
      .poll(
        async () => {
          await page.keyboard.press('Home')
          return (await linesOf(page).allInnerTexts()).some((text) => /long 0\b/.test(text))
        },
        // a page is shown before the next one is asked for
        { interval: 250, timeout: 100_000 },
      )
      .toBe(true)
  })

  it('links to the span of a record, and back to the log of the span', async () => {
    const { page } = await project.browser.open('logs?workflowId=order')
    await page.getByRole('option', { name: /not paid/ }).click()
    const trace = await newestTrace(project, 'workflowId=order')
    await page.getByRole('link', { name: /^[0-9a-f]{16}$/ }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/traces/${trace}`)
    const panel = page.getByRole('region', { name: 'pay', exact: true })
    await panel.getByRole('link', { name: 'not paid' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/logs')
    await expect.poll(() => linesOf(page).count()).toBe(2)
    await page.getByRole('region', { name: 'not paid', exact: true }).waitFor()
  })

  it('is operated by keyboard', async () => {
    const { page } = await project.browser.open('logs?workflowId=order')
    await linesOf(page).first().waitFor()
    await page.keyboard.press('k')
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('log')).toMatch(/^\d+$/)
    const first = new URL(page.url()).searchParams.get('log')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => new URL(page.url()).searchParams.get('log')).not.toBe(first)
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).searchParams.get('log')).toBeNull()
  })

  it('is exported as NDJSON', async () => {
    await say('saved', 30)
    const { page } = await project.browser.open('logs?q=saved')
    await linesOf(page).first().waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download as NDJSON' }).click(),
    ])
    const file = project.path('saved.ndjson')
    await download.saveAs(file)
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    const messages = lines.map((line) => (JSON.parse(line) as { message: string }).message)
    expect(messages).toEqual(Array.from({ length: 30 }, (_, n) => `saved ${n}`))
  })
})
