import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { onTestFinished, TestRunner } from 'vitest'
import { launchBrowser } from './launch-browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface OpenOptions {
  readonly theme?: 'light' | 'dark'
  readonly size?: { readonly width: number; readonly height: number }
  /** Expected browser messages, such as failed requests to a stopped server. */
  readonly expected?: RegExp
  /** Selector of an element to wait for; default: the heading of the screen. */
  readonly waitFor?: string
  /** Opens the plain address, without the token of the project. */
  readonly withoutToken?: boolean
  /** Called before the scripts of the page run. */
  readonly prepare?: (context: BrowserContext) => Promise<unknown>
}

/** A page of the console with its browser messages. */
export interface WatchedPage {
  readonly page: Page
  /** Unexpected messages: errors, warnings, CSP violations and requests to other origins. */
  readonly complaints: string[]
  /** Violations of WCAG 2.2 AA found by axe on the page, or in what a selector finds, as `rule: selector`. */
  readonly axe: (within?: string) => Promise<string[]>
  /** Those that depend on colours: what a theme changes on a page that axe has checked in the other one. */
  readonly axeColors: (within?: string) => Promise<string[]>
  /** Those of `axe`, and those of `axeColors` in the other theme: colours are all that a theme changes. */
  readonly axeInBothThemes: (within?: string) => Promise<string[]>
}

/** Opens pages of a served console and collects unexpected messages. */
export class ConsoleBrowser {
  readonly #browser: Browser
  readonly #origin: string
  readonly #prefix: string
  readonly #projectToken: () => string | undefined

  constructor(browser: Browser, origin: string, prefix: string, projectToken: () => string | undefined) {
    this.#projectToken = projectToken
    this.#browser = browser
    this.#origin = new URL(origin).origin
    this.#prefix = prefix
  }

  /** `prefix` is the path prefix of a proxy. */
  static async launch(
    origin: string,
    prefix = '',
    projectToken: () => string | undefined = () => undefined,
  ): Promise<ConsoleBrowser> {
    return new ConsoleBrowser(await launchBrowser(), origin, prefix, projectToken)
  }

  /** Opens a path of the console: `executions?status=error`. A page that a test opens is closed when the test ends. */
  async open(address: string, options: OpenOptions = {}): Promise<WatchedPage> {
    const {
      theme = 'light',
      size = { width: 1440, height: 900 },
      expected,
      prepare,
      withoutToken = false,
      waitFor = 'main h1:not([data-opening])',
    } = options
    const context = await this.#browser.newContext({ colorScheme: theme, viewport: size })
    // open pages keep following the server, and so slow down the tests after theirs
    if (TestRunner.getCurrentTest()) onTestFinished(() => context.close())
    await prepare?.(context)
    const page = await context.newPage()
    // shorter than the test timeout, so that a failure names the locator
    page.setDefaultTimeout(30_000)
    const complaints: string[] = []
    const complain = (text: string, where = '') => {
      if (!expected?.test(text)) complaints.push(`${text}${where}`)
    }
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        complain(`console: ${message.text()}`, ` at ${message.location().url}`)
    })
    page.on('pageerror', (error) => complain(`error: ${error.message}`))
    page.on('request', (request) => {
      const { protocol, host } = new URL(request.url())
      if (protocol !== 'data:' && host !== new URL(this.#origin).host)
        complain(`other origin: ${request.url()}`)
    })
    const url = new URL(`${this.#prefix}/console/${address}`, this.#origin)
    // as in the link that `agentserver dev` prints
    const token = withoutToken ? undefined : this.#projectToken()
    if (token !== undefined && url.hash === '') url.hash = `token=${token}`
    await page.goto(url.href)
    await page.locator(waitFor).first().waitFor()
    const [axe, axeColors] = [axeIn(page, RULES), axeIn(page, COLOR_RULES)]
    const axeInBothThemes = async (within?: string) => {
      const found = await axe(within)
      const other = theme === 'light' ? 'dark' : 'light'
      await page.emulateMedia({ colorScheme: other })
      const colors = await axeColors(within)
      await page.emulateMedia({ colorScheme: theme })
      return [...found, ...colors.map((finding) => `${other}: ${finding}`)]
    }
    return { page, complaints, axe, axeColors, axeInBothThemes }
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** Ends the transitions of colours, in which contrasts are lower. */
const END_TRANSITIONS = `document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
  .forEach((animation) => animation.finish())`

/** Reduced in the page: the whole result is up to a megabyte, most of it about what has no violations. */
const VIOLATIONS = `({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' ')))`

const axeIn = (page: Page, runOnly: readonly string[]) => async (within?: string) => {
  // injected by evaluate, not by a script element, so the CSP of the page is unchanged
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  const context = JSON.stringify(within) ?? 'document'
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  return page.evaluate<string[]>(`${END_TRANSITIONS}; axe.run(${context}, ${options}).then(${VIOLATIONS})`)
}
