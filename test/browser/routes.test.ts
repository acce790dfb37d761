import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostileProject, HOSTILE } from '../support/browser/hostile-project.ts'
import type { WatchedPage } from '../support/browser/console-browser.ts'

const TABLE = new URL('../../src/console/app/routes.ts', import.meta.url)
const PATHS = [...fs.readFileSync(TABLE, 'utf8').matchAll(/path: '([^']*)'/g)].map(([, path = '']) => path)

/** The screen, when it is wider than the window. What it contains may scroll: code, a timeline. */
const SIDEWAYS = `[...document.querySelectorAll('main, main [role=tabpanel]')]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.tagName + ' ' + (one.scrollWidth - one.clientWidth))`

const project = hostileProject()
/** Values of path parameters, by area. */
const ids: Record<string, readonly string[]> = {
  workflows: ['hostile'],
  agents: ['helper'],
  tools: ['say'],
  mcp: ['desk'],
}
const pages = new Map<string, WatchedPage>()

beforeAll(async () => {
  await project.start()
  const failed = await project.execute('hostile', { [HOSTILE]: HOSTILE })
  await project.server.post(`/workflows/hostile/executions/${failed}/resume`, { resumeData: HOSTILE })
  const waiting = await project.execute('hostile', {})
  await project.server.post('/agents/helper/text', { input: HOSTILE, options: { conversationId: 'c1' } })
  const { data } = await project.server.get(`/observability/executions/${failed}`)
  ids['executions'] = [failed, waiting]
  ids['traces'] = [data.metadata.traceId]
  for (const [theme, size] of [
    ['light', { width: 1440, height: 900 }],
    ['dark', { width: 1024, height: 700 }],
  ] as const)
    pages.set(theme, await project.browser.open('', { theme, size }))
  pages.set('narrow', await project.browser.open('', { theme: 'dark', size: { width: 390, height: 844 } }))
})
afterAll(() => project.end())

function addresses(path: string): string[] {
  if (!path.includes(':')) return [path]
  const area = path.split('/')[0] ?? ''
  const known = ids[area]
  if (!known) throw new Error(`Add a value for the parameter of "${path}"`)
  return known.map((id) => path.replace(/:\w+/, id))
}

describe.each(['light', 'dark', 'narrow'] as const)('every page, opened by its URL, %s', (kind) => {
  it.each(PATHS)('%s has no accessibility or CSP violations with hostile texts', async (path) => {
    const { page, axe, complaints } = pages.get(kind) as WatchedPage
    for (const address of addresses(path)) {
      await page.goto(new URL(`/console/${address}`, project.server.url).href)
      await page.locator('main h1:not([data-opening])').waitFor()
      await expect
        .poll(() => page.locator('main').getByRole('status').filter({ hasText: '…' }).count())
        .toBe(0)
      expect(await axe()).toEqual([])
      expect(await page.locator('h1').count()).toBe(1)
      expect(await page.title()).toMatch(/ · agentserver$/)
      expect(await page.evaluate('globalThis.harm')).toBeUndefined()
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      expect(await page.evaluate(SIDEWAYS)).toEqual([])
      expect(complaints.splice(0)).toEqual([])
    }
  })
})

/** Buttons that open a dialog. */
const OPENERS = /^(Cancel|Suspend|Replay|Working memory|Rename|Delete)$/

describe.each(['light', 'dark'] as const)('the menus and dialogs of every page, %s', (kind) => {
  it.each(PATHS)('%s has no accessibility or CSP violations while they are open', async (path) => {
    const { page, axe, complaints } = pages.get(kind) as WatchedPage
    const popup = page
      .locator('[data-base-ui-portal] :is([role=menu], [role=listbox], [role=dialog])')
      .filter({ visible: true })
    const check = async (name: string) => {
      await popup.first().waitFor()
      expect((await axe()).map((violation) => `${name}: ${violation}`)).toEqual([])
      await page.keyboard.press('Escape')
      await expect.poll(() => popup.count()).toBe(0)
    }
    for (const address of addresses(path)) {
      await page.goto(new URL(`/console/${address}`, project.server.url).href)
      await page.locator('main h1:not([data-opening])').waitFor()
      await expect
        .poll(() => page.locator('main').getByRole('status').filter({ hasText: '…' }).count())
        .toBe(0)
      const openers = [
        page.locator('main [aria-haspopup=menu]'),
        page.locator('main [aria-haspopup=listbox]'),
        page.locator('main').getByRole('button', { name: path === '' ? /^$/ : OPENERS, disabled: false }),
      ]
      for (const opener of (await Promise.all(openers.map((one) => one.all()))).flat()) {
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
      expect(complaints.splice(0)).toEqual([])
    }
  })
})

describe('an unknown URL', () => {
  it('shows that the page was not found', async () => {
    const { page } = pages.get('light') as WatchedPage
    await page.goto(new URL('/console/no/such/page', project.server.url).href)
    await expect.poll(() => page.locator('h1').innerText()).toBe('Page not found')
  })
})
