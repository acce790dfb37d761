import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { newestTrace, tracedProject } from '../../support/browser/traced-project.ts'

const project = tracedProject()

beforeAll(async () => {
  await project.start()
  for (let n = 0; n < 120; n++) await project.execute('order', { orderId: `o-${n}` })
  await project.execute('many', {})
})
afterAll(() => project.end())

const topOf = async (page: Page, selector: string) =>
  Number(await page.evaluate(`document.querySelector('${selector}')?.scrollTop`))
const scrollTo = (page: Page, selector: string, top: number) =>
  page.evaluate(`void (document.querySelector('${selector}').scrollTop = ${top})`)

const GRID = '[role=grid]'
const TREE = '[role=tree]'

describe('going back', () => {
  it('restores scroll position, focus, row and selected executions of a list', async () => {
    const { page, complaints } = await project.browser.open('executions')
    await page.getByRole('row').nth(5).waitFor()
    await page
      .getByRole('checkbox', { name: /^Select order/ })
      .nth(2)
      .check()
    await page.getByText('1 selected').waitFor()
    await scrollTo(page, GRID, 1400)
    await page.getByText('o-60', { exact: false }).first().click()
    await page.getByRole('tab', { name: 'Run' }).waitFor()
    const { pathname } = new URL(page.url())
    await page.goBack()
    await expect.poll(() => topOf(page, GRID)).toBe(1400)
    await page.getByText('1 selected').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('grid')
    // the row that was opened is still the current one
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Run' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(pathname)
    expect(complaints).toEqual([])
  })

  it('restores the waterfall and the selected span of a trace, also after a reload and forward', async () => {
    const trace = await newestTrace(project, 'workflowId=many')
    const { page, complaints } = await project.browser.open(`traces/${trace}`)
    await page.getByRole('treeitem').nth(10).waitFor()
    await scrollTo(page, TREE, 9000)
    await page.getByRole('treeitem', { name: /query/ }).nth(8).click()
    await page.getByRole('region', { name: /^query/ }).waitFor()
    const name = await page.getByRole('region', { name: /^query/ }).getAttribute('aria-label')
    await expect.poll(() => page.url()).toContain('span=')
    await page.getByRole('link', { name: 'Workflows' }).click()
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
    await page.goBack()
    await expect.poll(() => topOf(page, TREE)).toBe(9000)
    expect(await page.getByRole('region', { name: /^query/ }).getAttribute('aria-label')).toBe(name)
    await page.reload()
    await expect.poll(() => topOf(page, TREE)).toBe(9000)
    await page.goForward()
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
    expect(complaints).toEqual([])
  })

  it('starts a page that is opened by a link at its top, with the focus on its heading', async () => {
    const { page } = await project.browser.open('executions')
    await page.getByRole('row').nth(5).waitFor()
    await scrollTo(page, GRID, 1400)
    await page.getByRole('link', { name: 'Workflows' }).click()
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('row').nth(5).waitFor()
    expect(await topOf(page, GRID)).toBe(0)
    expect(await page.evaluate('document.activeElement.localName')).toBe('h1')
  })
})

describe('the navigation', () => {
  const entries = async (page: Page) =>
    (await page.getByRole('navigation').getByRole('listitem').allInnerTexts()).map((text) => text.trim())
  const MAIN = ['Home', 'Inbox', 'Runs', 'Workflows', 'Agents', 'Tools', 'Evals']
  const MORE = ['Schedules', 'Events', 'Costs', 'Logs', 'Requests', 'MCP', 'Settings', 'API']

  it('has seven pages and the others below More, where it is open on their own pages', async () => {
    const { page } = await project.browser.open('')
    const more = page.getByRole('button', { name: 'More', exact: true })
    expect(await entries(page)).toEqual(MAIN)
    await more.click()
    expect(await entries(page)).toEqual([...MAIN, ...MORE])
    await more.click()
    expect(await entries(page)).toEqual(MAIN)
    const { page: logs } = await project.browser.open('logs')
    expect(await entries(logs)).toEqual([...MAIN, ...MORE])
    expect(await logs.getByRole('link', { name: 'Logs' }).getAttribute('aria-current')).toBe('page')
  })

  it('is found by the search, with the names of before', async () => {
    const { page } = await project.browser.open('')
    await page.keyboard.press('/')
    const pages = page.getByRole('group', { name: 'Pages' })
    await page.getByRole('combobox').fill('executions')
    await expect.poll(() => pages.innerText()).toMatch(/Runs$/)
    await page.getByRole('combobox').fill('traces')
    await expect.poll(() => pages.innerText()).toMatch(/Requests$/)
  })
})

describe('a link', () => {
  it('loads the code of its screen when the pointer or the focus is on it', async () => {
    const { page } = await project.browser.open('executions')
    await page.getByText('Live').waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    const loads = (name: string) =>
      page.waitForRequest((request) => request.url().includes(`/assets/${name}`))
    const [loaded] = await Promise.all([
      loads('settings-screen'),
      page.getByRole('link', { name: 'Settings' }).hover(),
    ])
    expect(loaded.url()).toContain('settings-screen')
    await Promise.all([loads('schedules-screen'), page.getByRole('link', { name: 'Schedules' }).focus()])
  })
})
