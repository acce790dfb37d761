import fs from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { REPOSITORY } from '../bench/project.ts'
import type { BenchBrowser } from '../bench/console-page.ts'
import type { DemoData } from './fill-demo.ts'

const FOLDER = path.join(REPOSITORY, '.github/console')
const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 390, height: 800 }
const QUALITY = 0.85

/** A picture of docs/guides/console.md. */
interface GuidePicture {
  readonly name: string
  readonly address: string
  readonly dark?: boolean
  readonly narrow?: boolean
  /** What a user does before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

/** Takes the pictures of the console's guide, as WebP. */
export async function takeGuidePictures(browser: BenchBrowser, demo: DemoData): Promise<void> {
  fs.mkdirSync(FOLDER, { recursive: true })
  for (const { name, address, dark, narrow, prepare } of guidePictures(demo)) {
    const page = await browser.open(address, {
      colorScheme: dark ? 'dark' : 'light',
      viewport: narrow ? NARROW : WIDE,
    })
    await prepare?.(page)
    const file = path.join(FOLDER, `${name}.webp`)
    fs.writeFileSync(file, await webp(page, await page.screenshot()))
    await page.context().close()
    process.stdout.write(`${path.relative(REPOSITORY, file)}\n`)
  }
}

function guidePictures({ shipped, failed, waiting, calculation }: DemoData): readonly GuidePicture[] {
  return [
    { name: 'home', address: '' },
    { name: 'home-dark', address: '', dark: true },
    { name: 'failed', address: `executions/${failed}` },
    { name: 'timeline', address: `executions/${shipped}` },
    { name: 'graph', address: `executions/${shipped}?view=graph` },
    { name: 'approval', address: `executions/${waiting}` },
    { name: 'executions', address: 'executions' },
    {
      name: 'search',
      address: '',
      prepare: async (page) => {
        await page.keyboard.press('/')
        await page.keyboard.type('status:failed workflow:order ')
        await page
          .getByRole('option', { name: /A-1065|Order/ })
          .first()
          .waitFor()
        await page.waitForTimeout(300)
      },
    },
    { name: 'workflow', address: 'workflows/order' },
    { name: 'agent', address: 'agents/support?conversation=desk-7' },
    { name: 'lab', address: `agents/clerk/lab?trace=${calculation}`, prepare: runTrials },
    { name: 'waiting', address: 'inbox?tab=sleeping' },
    { name: 'queues', address: 'inbox?tab=queued' },
    { name: 'narrow', address: 'executions', narrow: true },
  ]
}

async function runTrials(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run all' }).click()
  await page
    .getByText(/\d+ ms/)
    .nth(1)
    .waitFor()
  await page.waitForTimeout(1000)
}

/** Chromium encodes WebP; its screenshots are PNG or JPEG. */
async function webp(page: Page, png: Buffer): Promise<Buffer> {
  // not on the page itself, whose content security policy allows no data: addresses
  const blank = await page.context().browser()?.newPage()
  if (!blank) throw new Error('The page has no browser')
  const encoded = (await blank.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', ${QUALITY})
  })()`)) as string
  await blank.close()
  return Buffer.from(encoded.slice(encoded.indexOf(',') + 1), 'base64')
}
