import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Route } from 'playwright-core'
import { ConsoleBrowser } from '../../support/browser/console-browser.ts'
import { ConsoleProject } from '../../support/browser/console-project.ts'
import { prefixProxy } from '../../support/browser/prefix-proxy.ts'

const project = new ConsoleProject()
const ids: Record<string, string> = {}

beforeAll(async () => {
  await project.start()
  ids['done'] = await project.execute('order', { orderId: 'a', amount: 1 })
  ids['waiting'] = await project.execute('order', { orderId: 'b', amount: 500 })
})
afterAll(() => project.end())

const path = (page: { url(): string }) => new URL(page.url()).pathname

describe('keyboard navigation', () => {
  it('reaches lists, details, filters and the shortcut list', async () => {
    const { page, complaints } = await project.browser.open('')
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await press('g', 'e')
    await expect.poll(() => path(page)).toBe('/console/executions')
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')
    await page.getByRole('row').nth(2).waitFor()
    await press('j', 'Enter')
    await expect.poll(() => path(page)).toBe(`/console/executions/${ids['waiting']}`)
    await page.goBack()
    await expect.poll(() => path(page)).toBe('/console/executions')
    await press('f')
    await expect.poll(() => page.evaluate('document.activeElement.matches("[data-filter]")')).toBe(true)
    await press('Escape', '/')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await press('Escape', '?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.waitFor()
    expect(await sheet.innerText()).toMatch(/Settings\s*g s/)
    expect(await sheet.innerText()).toMatch(/Search\s*\/[\s\S]*Filter this list\s*f/)
    await press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await press('g', 's')
    await expect.poll(() => path(page)).toBe('/console/settings')
    expect(complaints).toEqual([])
  })

  it('opens workflows and executions by id from the search, and switches the theme', async () => {
    const { page, complaints, axe } = await project.browser.open('')
    const palette = page.getByRole('dialog', { name: 'Search' })
    const search = async (text: string, option: RegExp) => {
      await page.keyboard.press('Control+k')
      await palette.getByRole('combobox').fill(text)
      await palette.getByRole('option', { name: option }).first().waitFor()
    }
    await search('order', /^Order\s*order/)
    expect(await axe()).toEqual([])
    await page.keyboard.press('Enter')
    await expect.poll(() => path(page)).toBe('/console/workflows/order')
    await search((ids['done'] ?? '').slice(-12), /^Order.*completed/s)
    await page.keyboard.press('Enter')
    await expect.poll(() => path(page)).toBe(`/console/executions/${ids['done']}`)
    await search('theme', /^Switch theme/)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('light')
    expect(complaints).toEqual([])
  })

  it('leaves the focus to the search that was opened while a screen loads', async () => {
    const held: (() => void)[] = []
    const hold = async (route: Route) => {
      await new Promise<void>((release) => held.push(release))
      await route.continue()
    }
    const { page, complaints } = await project.browser.open('', {
      prepare: async (context) => {
        await context.route(/\/assets\/workflow-screen-[^/]*js$/, hold)
      },
    })
    const palette = page.getByRole('dialog', { name: 'Search' })
    const input = palette.getByRole('combobox')
    await page.keyboard.press('Control+k')
    await input.fill('order')
    await page.keyboard.press('Enter')
    await expect.poll(() => path(page)).toBe('/console/workflows/order')
    await expect.poll(() => held.length).toBe(1)
    await page.keyboard.press('Control+k')
    await input.waitFor()
    held.pop()?.()
    await page.locator('main h1:not([data-opening])', { hasText: 'order' }).waitFor()
    expect(await input.and(page.locator(':focus')).count()).toBe(1)
    expect(complaints).toEqual([])
  })
})

describe('below a proxy prefix', () => {
  it('the console works, live updates included', async () => {
    const prefix = '/tools/agents'
    const proxy = await prefixProxy(project.server.url, prefix)
    const browser = await ConsoleBrowser.launch(proxy.url, prefix)
    try {
      const { page, complaints } = await browser.open('executions')
      const outside: string[] = []
      page.on('request', (request) => {
        if (!new URL(request.url()).pathname.startsWith(`${prefix}/`)) outside.push(request.url())
      })
      await page.getByRole('row').nth(2).waitFor()
      await page.getByText('Live').waitFor()
      await project.execute('order', { orderId: 'by proxy', amount: 1 })
      await expect.poll(() => page.getByRole('grid').innerText()).toContain('by proxy')
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('link', { name: 'Settings' }).click()
      await expect.poll(() => path(page)).toBe(`${prefix}/console/settings`)
      await page.reload()
      await page.getByRole('region', { name: 'Storage' }).waitFor()
      expect(outside).toEqual([])
      expect(complaints).toEqual([])
    } finally {
      await browser.close()
      proxy.close()
    }
  })
})

describe('500 executions per second', () => {
  it('keep the list responsive', async () => {
    const { page, complaints } = await project.browser.open('executions')
    await page.getByRole('row').nth(2).waitFor()
    const requests: number[] = []
    page.on('request', (request) => {
      if (request.url().includes('/observability/executions')) requests.push(Date.now())
    })
    const many = Array.from({ length: 500 }, async (_, index) =>
      project.execute('order', { orderId: `m${index}` }),
    )
    await page.getByLabel('User').fill('nobody')
    await page.getByText('No runs match these filters').waitFor()
    await Promise.all(many)
    await page.getByLabel('User').fill('')
    await expect.poll(() => page.locator('h1 + *').innerText()).toMatch(/^50\d$/)
    expect(requests.length).toBeLessThan(40)
    const grid = page.getByRole('grid', { name: 'Runs' })
    await grid.press('End')
    await expect.poll(() => grid.innerText()).toContain('"orderId":"a"')
    expect(complaints).toEqual([])
  })
})
