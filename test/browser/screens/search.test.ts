import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page, Route } from 'playwright-core'
import { ConsoleProject } from '../../support/browser/console-project.ts'
import { HOSTILE } from '../../support/browser/hostile-project.ts'

const project = new ConsoleProject({
  'agentserver.config.ts': `
    import { createAgent, createWorkflow, defineConfig, demoModel } from 'agentserver'
    import { broken, order } from './src/workflows.ts'
    const writer = createAgent({ id: 'writer', name: 'Letter writer', instructions: 'Answer briefly.', model: demoModel() })
    const noisy = createWorkflow({ id: 'noisy', name: ${JSON.stringify(HOSTILE)} }).andThen({ id: 'say', execute: ({ logger }) => {
      logger.warn({}, 'hostilemark ' + ${JSON.stringify(HOSTILE)})
      return { text: 'hostilemark ' + ${JSON.stringify(HOSTILE)} }
    } })
    export default defineConfig({ workflows: [order, broken, noisy], agents: [writer] })
  `,
})
const ids: Record<string, string> = {}

beforeAll(async () => {
  await project.start()
  ids['order'] = await project.execute('order', { orderId: 'A-1042', amount: 1 })
  ids['waiting'] = await project.execute('order', { orderId: 'A-1043', amount: 500 })
  ids['failed'] = await project.execute('broken', { orderId: 'A-1042' })
  await fetch(new URL('/agents/writer/text', project.server.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      input: 'A letter about zeppelins',
      options: { conversationId: 'about-zeppelins' },
    }),
  })
})
afterAll(() => project.end())

const searchOf = (page: Page) => {
  const dialog = page.getByRole('dialog', { name: 'Search' })
  return {
    dialog,
    input: dialog.getByRole('combobox', { name: 'Search' }),
    options: dialog.getByRole('option'),
    group: (name: string) => dialog.getByRole('group', { name, exact: true }),
    actions: dialog.getByRole('region', { name: 'Actions' }),
    open: async () => {
      await page.keyboard.press('/')
      await dialog.waitFor()
    },
  }
}

const path = (page: Page) => new URL(page.url()).pathname

describe('the search', () => {
  it('is opened by / and by Ctrl K, and begins with what was opened and run last', async () => {
    const { page, complaints, axe } = await project.browser.open('workflows/broken')
    await page.getByRole('heading', { name: 'Broken' }).waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('link', { name: 'Logs' }).click()
    await page.getByRole('heading', { name: 'Logs' }).waitFor()
    const { dialog, options, open, group } = searchOf(page)
    await open()
    await expect.poll(() => options.first().innerText()).toMatch(/^Broken\s+Workflow broken$/)
    await expect.poll(() => group('Newest runs').getByRole('option').count()).toBeGreaterThan(2)
    expect(await group('Filters').innerText()).toContain('status:')
    expect(await axe()).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await expect.poll(() => options.first().innerText()).toMatch(/^Broken/)
    expect(complaints).toEqual([])
  })

  it('says from when on records may be missing while the index is behind', async () => {
    const { page, complaints, axe } = await project.browser.open('')
    await page.route(/observability\/search/, async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as object
      const indexedUntil = new Date(Date.now() - 60_000).toISOString()
      await route.fulfill({ response, json: { ...body, indexedUntil } })
    })
    const { input, open, dialog } = searchOf(page)
    await open()
    await input.fill('zeppelins')
    const notice = /^The index is catching up: what changed after \d\d:\d\d:\d\d may be missing\.$/
    await dialog.getByText(notice).waitFor()
    expect(await axe()).toEqual([])
    await page.goto(new URL('search?q=zeppelins', page.url()).href)
    await page.getByText(notice).waitFor()
    expect(complaints).toEqual([])
  })

  it('completes filters, and groups what it finds', async () => {
    const { page, complaints } = await project.browser.open('')
    const { input, options, open, group, dialog } = searchOf(page)
    await open()
    await page.keyboard.type('status:fa')
    await options.filter({ hasText: 'status:failed' }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => input.inputValue()).toBe('status:failed ')
    await page.keyboard.type('workflow:brok')
    await expect.poll(() => options.first().innerText()).toMatch(/^workflow:broken\s+Broken/)
    await page.keyboard.press('Enter')
    await page.keyboard.type('"A-1042" last:1h')
    await expect.poll(() => group('Runs').innerText()).toMatch(/Broken[\s\S]*failed[\s\S]*input:.*A-1042/)
    expect(await group('Runs').getByRole('option').count()).toBe(1)
    await input.fill('zeppelins')
    await expect.poll(() => group('Answers of agents').innerText()).toMatch(/Letter writer[\s\S]*zeppelins/)
    await expect.poll(() => group('Conversations').innerText()).toContain('A letter about zeppelins')
    await input.fill('charge')
    await expect.poll(() => dialog.getByRole('status').first().innerText()).not.toContain('Searching')
    expect(complaints).toEqual([])
  })

  it('runs what was typed when Enter comes before the results, and never an earlier result', async () => {
    const held: Route[] = []
    const { page } = await project.browser.open('logs')
    const { input, options, open, dialog } = searchOf(page)
    await open()
    await input.fill('status:failed')
    await options
      .filter({ hasText: 'card declined' })
      .or(options.filter({ hasText: 'Broken' }))
      .first()
      .waitFor()
    await page.route(/observability\/search/, (route) => void held.push(route))
    await input.fill(`"${ids['waiting']}"`)
    await page.keyboard.press('Enter')
    await dialog.getByText('Searching…').waitFor()
    await expect.poll(() => held.length).toBe(1)
    expect(path(page)).toBe('/console/logs')
    for (const route of held) await route.continue()
    await expect.poll(() => path(page)).toBe(`/console/executions/${ids['waiting']}`)
  })

  it('replays, runs again and opens traces, by keyboard', async () => {
    const { page, complaints, axe } = await project.browser.open('')
    const { input, group, actions, open } = searchOf(page)
    const act = async (name: string) => {
      await open()
      await input.fill(`"${ids['order']}"`)
      await expect.poll(() => group('Runs').count()).toBe(1)
      const button = actions.getByRole('button', { name })
      await button.waitFor()
      for (let tab = 0; tab < 8; tab++) {
        await page.keyboard.press('Tab')
        if ((await button.and(page.locator(':focus')).count()) === 1) break
      }
      expect(await axe()).toEqual([])
      await page.keyboard.press('Enter')
    }
    await act('Run again with this input')
    await expect.poll(() => path(page)).toBe('/console/workflows/order')
    await expect.poll(() => page.getByLabel('orderId').inputValue()).toBe('A-1042')
    await act('Open request')
    await expect.poll(() => path(page)).toMatch(/^\/console\/traces\/[0-9a-f]{32}$/)
    await act('Replay from a step')
    await page.getByRole('dialog', { name: 'Replay Order' }).waitFor()
    expect(path(page)).toBe(`/console/executions/${ids['order']}`)
    expect(new URL(page.url()).search).toBe('')
    expect(complaints).toEqual([])
  })

  it('says what to do when a filter is not valid, when nothing is found, and when the server fails', async () => {
    const { page, axe } = await project.browser.open('', { expected: /status of 503/ })
    const { dialog, input, group, open } = searchOf(page)
    await open()
    await input.fill('colour:red')
    await dialog.getByText('Unknown filter "colour". Filters: status, workflow').waitFor()
    await input.fill('status:sideways')
    await dialog.getByText('status: Must be running').waitFor()
    await input.fill('nothinglikethis')
    await dialog.getByText('Use fewer words or filters').waitFor()
    expect(await axe()).toEqual([])
    await page.route(/observability\/search/, (route) =>
      route.fulfill({ status: 503, json: { success: false, error: 'The database is not available' } }),
    )
    await input.fill('A-1042')
    await dialog
      .getByRole('alert')
      .getByText(/HTTP 503, The database is not available/)
      .waitFor()
    await page.unroute(/observability\/search/)
    await dialog.getByRole('button', { name: 'Search again' }).click()
    await group('Runs').getByRole('option').first().waitFor()
    expect(await dialog.getByRole('alert').count()).toBe(0)
  })
})

describe('saved views', () => {
  it('keep a search under a name, in all tabs, are opened as a list, renamed and deleted', async () => {
    const { page, complaints, axe } = await project.browser.open('')
    const { dialog, input, options, group, actions, open } = searchOf(page)
    await open()
    await input.fill('status:failed')
    await options.filter({ hasText: 'Save this search' }).click()
    const naming = page.getByRole('dialog', { name: 'Save as a view' })
    await naming.getByLabel('Name').fill('Failures of today')
    expect(await axe()).toEqual([])
    await page.keyboard.press('Enter')
    await naming.waitFor({ state: 'detached' })
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.locator('main h1:not([data-opening])').waitFor()
    await input.fill('failures')
    await expect.poll(() => group('Saved views').innerText()).toMatch(/Failures of today[\s\S]*status:failed/)
    await page.keyboard.press('Enter')
    await expect.poll(() => path(page)).toBe('/console/search')
    const rows = page.getByRole('grid', { name: 'Results' }).getByRole('row')
    await expect.poll(() => rows.nth(1).innerText()).toMatch(/failed[\s\S]*Broken/)

    await open()
    await group('Saved views').getByRole('option').hover()
    await actions.getByRole('button', { name: 'Rename' }).click()
    const renaming = page.getByRole('dialog', { name: 'Rename view' })
    await renaming.getByLabel('Name').fill(' ')
    await page.keyboard.press('Enter')
    await renaming.getByText('Enter a name').waitFor()
    await renaming.getByLabel('Name').fill('All failures')
    await page.keyboard.press('Enter')
    const elsewhere = searchOf(other)
    await other.bringToFront()
    await elsewhere.open()
    await expect.poll(() => elsewhere.group('Saved views').innerText()).toContain('All failures')
    await page.bringToFront()
    await dialog.waitFor()
    await expect.poll(() => group('Saved views').innerText()).toContain('All failures')
    await group('Saved views').getByRole('option').hover()
    await actions.getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => group('Saved views').count()).toBe(0)
    await expect.poll(() => elsewhere.group('Saved views').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('keep the filters of a list', async () => {
    const { page } = await project.browser.open('executions?status=suspended')
    const { options, input, group, open } = searchOf(page)
    await page.getByRole('grid').waitFor()
    await open()
    await input.fill('save')
    await options.filter({ hasText: 'Save this list' }).click()
    await page.getByRole('dialog', { name: 'Save as a view' }).getByLabel('Name').fill('Held')
    await page.keyboard.press('Enter')
    await input.fill('held')
    await expect.poll(() => group('Saved views').innerText()).toMatch(/Held[\s\S]*Runs · status=suspended/)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('link', { name: 'Logs' }).click()
    await open()
    await input.fill('held')
    await group('Saved views').getByRole('option').click()
    await expect.poll(() => page.url()).toMatch(/\/console\/executions\?status=suspended$/)
  })
})

describe('hostile texts in the search, in both themes', () => {
  it('are shown as text, without accessibility or CSP violations', async () => {
    await project.execute('noisy', {})
    const { page, complaints, axeInBothThemes } = await project.browser.open('workflows/noisy', {
      size: { width: 390, height: 800 },
    })
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'img src' }).waitFor()
    const other = [{ path: HOSTILE, title: HOSTILE }, 7, null, { path: 'workflows/%zz', title: HOSTILE }]
    const text = JSON.stringify(JSON.stringify(other))
    await page.evaluate(`localStorage.setItem('agentserver.recent', ${text})`)
    await page.reload()
    await page.locator('main h1:not([data-opening])').waitFor()
    const { dialog, input, options, open, group } = searchOf(page)
    await page.locator('main h1').focus()
    await open()
    await expect.poll(() => group('Recent').innerText()).toContain(String.raw`\u202eabc`)
    await input.fill('hostilemark')
    await expect.poll(() => group('Runs').innerText()).toContain('<script>')
    await expect.poll(() => group('Logs').innerText()).toContain('<script>')
    expect(await axeInBothThemes()).toEqual([])
    await options.filter({ hasText: 'Save this search' }).click()
    await page.getByRole('dialog', { name: 'Save as a view' }).getByLabel('Name').fill(HOSTILE.slice(0, 70))
    await page.keyboard.press('Enter')
    await input.fill('img')
    await expect.poll(() => group('Saved views').innerText()).toContain('<img src=x')
    expect(await axeInBothThemes()).toEqual([])
    await input.fill(HOSTILE.replaceAll('\u0000', ''))
    await dialog.getByText(/counterpart|at most|Unknown filter/).waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.evaluate('globalThis.harm')).toBeUndefined()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(complaints).toEqual([])
  })
})
