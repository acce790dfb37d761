import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostileProject, HOSTILE, LONG_ID } from '../../support/browser/hostile-project.ts'
import { until } from '../../support/until.ts'
import type { WatchedPage } from '../../support/browser/console-browser.ts'

const TABLE = new URL('../../../src/console/app/routes.ts', import.meta.url)
const PATHS = [...fs.readFileSync(TABLE, 'utf8').matchAll(/path: '([^']*)'/g)].map(([, path = '']) => path)

/** The screen, when it is wider than the window. What it contains may scroll: code, a timeline. */
const SIDEWAYS = `[...document.querySelectorAll('main, main [role=tabpanel]')]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.tagName + ' ' + (one.scrollWidth - one.clientWidth))`

const project = hostileProject()
/** Values of path parameters, by path or area; some with a query. */
const known: Record<string, readonly string[]> = {
  workflows: ['hostile', LONG_ID, `asked?pauseAt=${LONG_ID}`],
  agents: ['helper', LONG_ID],
  tools: ['say'],
  mcp: ['desk'],
  evals: [LONG_ID],
}
/** Further addresses of a path. */
const more: Record<string, readonly string[]> = {
  inbox: ['inbox?tab=failed', 'inbox?tab=sleeping', 'inbox?tab=queued'],
}
let watched: WatchedPage

beforeAll(async () => {
  await project.start()
  const { server } = project
  const failed = await project.execute('hostile', { [HOSTILE]: HOSTILE })
  await server.post(`/workflows/hostile/executions/${failed}/resume`, { resumeData: HOSTILE })
  const waiting = await project.execute('hostile', {})
  const approval = await project.execute('approval', {})
  const answered = await project.execute('asked', {})
  const { data: paused } = await server.post('/workflows/asked/execute', {
    input: {},
    options: { pauseAt: [LONG_ID] },
  })
  const expected = await project.execute('waits', {})
  for (const input of [HOSTILE, { [HOSTILE]: HOSTILE }])
    await server.post(`/workflows/${LONG_ID}/execute`, { input }, { Prefer: 'respond-async' })
  await server.post('/events', { name: LONG_ID, key: 'nobody', data: { [HOSTILE]: HOSTILE } })
  await server.post('/agents/helper/text', { input: HOSTILE, options: { conversationId: 'c1' } })
  const { data } = await server.get(`/observability/executions/${failed}`)
  known['executions'] = [
    failed,
    waiting,
    approval,
    ...[paused.executionId, expected].map((id) => `${id}?view=graph`),
    ...['view=graph', 'tab=events', 'tab=logs'].map((search) => `${answered}?${search}&at=1`),
  ]
  known['traces'] = [data.metadata.traceId]
  known['evals/runs/:id'] = [
    await evalRun(),
    `${await evalRun()}?case=${encodeURIComponent(`${LONG_ID}/${HOSTILE}`)}`,
  ]
  watched = await project.browser.open('')
})
afterAll(() => project.end())

/** Runs the eval of the project, and returns the id of the run when it has ended. */
async function evalRun(): Promise<string> {
  const { server } = project
  const { data } = await server.post(`/evals/${LONG_ID}/run`, {})
  await until(
    async () => (await server.get(`/evals/runs/${data.id}`)).data.endedAt !== null,
    'the end of the run of the eval',
  )
  return data.id as string
}

function addresses(path: string): readonly string[] {
  if (!path.includes(':')) return [path, ...(more[path] ?? [])]
  const found = known[path] ?? known[path.split('/')[0] ?? '']
  if (!found) throw new Error(`Add a value for the parameter of "${path}"`)
  return found.map((id) => path.replace(/:\w+/, id))
}

const VIEWS = [
  ['light', { width: 1440, height: 900 }],
  ['dark', { width: 1024, height: 700 }],
  ['dark', { width: 390, height: 844 }],
] as const

/** Buttons that open a dialog. */
const OPENERS = /^(Cancel|Suspend|Replay|Working memory|Rename|Delete)$/

describe('every page, opened by its URL, in both themes and three widths', () => {
  it.each(PATHS)('%s has no accessibility or CSP violations with hostile texts', async (path) => {
    const { page, axe, complaints } = watched
    for (const address of addresses(path)) {
      await page.goto(new URL(`/console/${address}`, project.server.url).href)
      await page.locator('main h1:not([data-opening])').waitFor()
      await expect
        .poll(() => page.locator('main').getByRole('status').filter({ hasText: '…' }).count())
        .toBe(0)
      for (const [colorScheme, size] of VIEWS) {
        const view = `${address}, ${colorScheme}, ${size.width} px`
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize(size)
        expect(named(view, await axe())).toEqual([])
        const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(named(view, Number(excess) > 0 ? ['the page scrolls sideways'] : [])).toEqual([])
        expect(named(view, await page.evaluate<string[]>(SIDEWAYS))).toEqual([])
      }
      expect(await page.locator('h1').count()).toBe(1)
      expect(await page.title()).toMatch(/ · agentserver$/)
      // tabs and breakpoints are further views of a page whose menus and dialogs have been opened
      if (!address.includes('?')) await checkPopups(path)
      expect(await page.evaluate('globalThis.harm')).toBeUndefined()
      expect(complaints.splice(0)).toEqual([])
    }
  })
})

/** Findings with the view in which they were found. */
function named(view: string, findings: readonly string[]): string[] {
  return findings.map((finding) => `${view}: ${finding}`)
}

/** Opens the menus and dialogs of the page one after the other. */
async function checkPopups(path: string): Promise<void> {
  const { page, axe, axeColors } = watched
  const [wide] = VIEWS
  await page.setViewportSize(wide[1])
  const popup = page
    .locator('[data-base-ui-portal] :is([role=menu], [role=listbox], [role=dialog])')
    .filter({ visible: true })
  const check = async (name: string) => {
    await popup.first().waitFor()
    await page.emulateMedia({ colorScheme: 'light' })
    expect(named(`${path}, light, ${name}`, await axe('[data-base-ui-portal]'))).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(named(`${path}, dark, ${name}`, await axeColors('[data-base-ui-portal]'))).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => popup.count()).toBe(0)
  }
  const openers = [
    page.locator('main [aria-haspopup=menu]'),
    page.locator('main [aria-haspopup=listbox]'),
    page.locator('main').getByRole('button', { name: path === '' ? /^$/ : OPENERS, disabled: false }),
  ]
  for (const opener of (
    await Promise.all(openers.map((one) => one.filter({ visible: true }).all()))
  ).flat()) {
    const name = await opener.innerText()
    await opener.click()
    await check(name)
  }
  for (const [key, name] of [
    ['?', 'Keyboard shortcuts'],
    ['/', 'Search'],
  ] as const) {
    await page.locator('main h1').focus()
    await page.keyboard.press(key)
    await check(name)
  }
}

describe('an unknown URL', () => {
  it('shows that the page was not found', async () => {
    const { page } = watched
    await page.goto(new URL('/console/no/such/page', project.server.url).href)
    await expect.poll(() => page.locator('h1').innerText()).toBe('Page not found')
  })
})
