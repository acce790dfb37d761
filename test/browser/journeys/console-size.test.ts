import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConsoleProject } from '../../support/browser/console-project.ts'

const BUILD = path.join(import.meta.dirname, '../../../dist/console')
const KB = 1000

/** Size of an asset of the build, as it is stored and sent: compressed with Brotli. */
const sizeOf = (name: string) => fs.statSync(path.join(BUILD, 'assets', `${name}.br`)).size

const first = [
  ...fs.readFileSync(path.join(BUILD, 'index.html'), 'utf8').matchAll(/assets\/([\w-]+\.js)"/g),
].map(([, name = '']) => name)

const project = new ConsoleProject()
beforeAll(() => project.start())
afterAll(() => project.end())

describe('the console bundle', () => {
  it('has at most 110 kB before the first heading', () => {
    const bytes = first.reduce((sum, name) => sum + sizeOf(name), 0)
    console.info(`JS before the first h1: ${(bytes / KB).toFixed(1)} kB of 110`)
    expect(bytes).toBeLessThanOrEqual(110 * KB)
  })

  it('has at most 120 kB until home shows its heading and what needs the user', async () => {
    const loaded: string[] = []
    const { page } = await project.browser.open('', {
      waitFor: 'main h1',
      prepare: async (context) => {
        // what is loaded after a rest would be loaded before that on a slow machine
        await context.addInitScript(
          'const now = setTimeout; setTimeout = (run, ms, ...args) => ms >= 300 ? 0 : now(run, ms, ...args)',
        )
        context.on('response', (response) => {
          const [, name] = /\/assets\/(.*)$/.exec(response.url()) ?? []
          if (name !== undefined) loaded.push(name)
        })
        // loaded after the first paint
        await context.route(/\/assets\/live-map-.*\.js$/, () => undefined)
      },
    })
    await page.getByRole('region', { name: /^Needs you/ }).waitFor()
    const bytes = loaded.reduce((sum, name) => sum + sizeOf(name), 0)
    console.info(`The first paint of home: ${(bytes / KB).toFixed(1)} kB of 120`)
    expect(loaded.length).toBeGreaterThan(first.length)
    expect(bytes).toBeLessThanOrEqual(120 * KB)
  })

  it('has at most 600 kB in total', () => {
    const files = fs.readdirSync(path.join(BUILD, 'assets')).filter((name) => name.endsWith('.br'))
    const bytes = files.reduce((sum, name) => sum + sizeOf(name.slice(0, -3)), 0)
    console.info(`The whole console: ${(bytes / KB).toFixed(1)} kB of 600`)
    expect(bytes).toBeLessThanOrEqual(600 * KB)
  })

  it('shows the first heading with those scripts only', async () => {
    const { page } = await project.browser.open('', {
      waitFor: 'main h1',
      prepare: (context) =>
        context.route(/\/assets\/.*\.js$/, (route) =>
          first.some((name) => route.request().url().endsWith(name)) ? route.continue() : undefined,
        ),
    })
    expect(await page.locator('main h1').first().innerText()).toBe('Home')
  })
})
