import type { Browser, BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { findBrowser, launch } from '../../test/support/browser/find-browser.ts'

const SECONDS = 4

/** Collects the times from each key to the paint after it, in milliseconds, in the array `paints` of the page. */
export const PAINT_TIMES = `
  globalThis.paints = []
  addEventListener('keydown', ({ timeStamp }) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => paints.push(performance.now() - timeStamp)
    port2.postMessage(0)
  }), true)
`

export interface Frames {
  readonly fps: number
  /** Time of the main thread, in milliseconds. */
  readonly perFrame: number
}

/** Opens pages of a console and measures their frame rate. */
export class BenchBrowser {
  readonly #browser: Browser
  readonly #url: string

  constructor(browser: Browser, url: string) {
    this.#browser = browser
    this.#url = url
  }

  static async launch(url: string): Promise<BenchBrowser> {
    return new BenchBrowser(await launch(await findBrowser()), url)
  }

  /** Opens a path of the console and waits until it is idle. */
  async open(address: string, how: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.#browser.newPage({ viewport: { width: 1440, height: 900 }, ...how })
    await page.goto(new URL(`/console/${address}`, this.#url).href)
    await page.locator('main h1:not([data-opening])').waitFor()
    await page.waitForLoadState('networkidle')
    await page.waitForTimeout(500)
    return page
  }

  /**
   * Frames per second and time of the main thread per frame, in milliseconds, while the function that `code` returns is
   * called in every frame.
   */
  async frames(page: Page, code: string): Promise<Frames> {
    // a busy machine drops frames, so the best of three runs counts
    let best = await this.#count(page, code)
    for (let again = 1; again < 3 && best.fps < 55; again++) {
      const next = await this.#count(page, code)
      if (next.fps > best.fps) best = next
    }
    return best
  }

  async #count(page: Page, code: string): Promise<Frames> {
    const session = await page.context().newCDPSession(page)
    // processor time, since other processes run too
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const before = await taskSeconds(session)
    const { frames, seconds } = (await page.evaluate(`new Promise((resolve) => {
      const each = (() => { ${code} })()
      let frames = 0
      const startedAt = performance.now()
      const next = () => {
        each()
        const seconds = (performance.now() - startedAt) / 1000
        if (seconds >= ${SECONDS}) resolve({ frames, seconds })
        else { frames++; requestAnimationFrame(next) }
      }
      requestAnimationFrame(next)
    })`)) as { frames: number; seconds: number }
    const used = (await taskSeconds(session)) - before
    return { fps: frames / seconds, perFrame: (used * 1000) / frames }
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }
}

async function taskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
}
