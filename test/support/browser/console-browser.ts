import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { inject } from 'vitest'

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
}

/** Opens pages of a served console and collects unexpected messages. */
export class ConsoleBrowser {
  readonly #browser: Browser
  readonly #origin: string
  readonly #prefix: string
  readonly #contexts: BrowserContext[] = []

  readonly #projectToken: () => string | undefined

  constructor(browser: Browser, origin: string, prefix: string, projectToken: () => string | undefined) {
    this.#projectToken = projectToken
    this.#browser = browser
    this.#origin = new URL(origin).origin
    this.#prefix = prefix
  }

  /** Connects to the shared browser. `prefix` is the path prefix of a proxy. */
  static async connect(
    origin: string,
    prefix = '',
    projectToken: () => string | undefined = () => undefined,
  ): Promise<ConsoleBrowser> {
    const response = await fetch(inject('browserUrl'))
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return new ConsoleBrowser(await chromium.connect(text), origin, prefix, projectToken)
  }

  /** Opens a path of the console: `executions?status=error`. */
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
    // axe is injected by evaluate, not by a script element, so the CSP of the page is unchanged
    this.#contexts.push(context)
    await prepare?.(context)
    const page = await context.newPage()
    // shorter than the test timeout, so that a failure names the locator
    page.setDefaultTimeout(30_000)
    const complaints: string[] = []
    const complain = (text: string) => {
      if (!expected?.test(text)) complaints.push(text)
    }
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complain(`console: ${message.text()}`)
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
    return { page, complaints, axe: (within) => axeIn(page, within) }
  }

  async close(): Promise<void> {
    await Promise.all(this.#contexts.map((context) => context.close()))
    await this.#browser.close()
  }
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly target: readonly unknown[] }[]
  }[]
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Ends the transitions of colours, in which contrasts are lower. */
const END_TRANSITIONS = `document.getAnimations()
  .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
  .forEach((animation) => animation.finish())`

async function axeIn(page: Page, within?: string): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  await page.evaluate(END_TRANSITIONS)
  const run = `axe.run(${JSON.stringify(within) ?? 'document'}, { runOnly: ${JSON.stringify(RULES)} })`
  const { violations } = (await page.evaluate(run)) as AxeResult
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
