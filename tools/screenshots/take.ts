import fs from 'node:fs'
import path from 'node:path'
import { BenchBrowser } from '../bench/console-page.ts'
import { startServer } from '../bench/process.ts'
import { REPOSITORY, removeProject } from '../bench/project.ts'
import { writeDemoProject } from './demo-project.ts'
import { fillDemo } from './fill-demo.ts'
import type { DemoData } from './fill-demo.ts'
import { takeGuidePictures } from './guide-pictures.ts'
import { recordClips } from './record-clip.ts'

const OUT = path.join(import.meta.dirname, 'out')
const PICTURES = path.join(REPOSITORY, '.github')
const THEMES = ['light', 'dark'] as const
const PICTURE = { width: 1280, height: 800 }
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
]

/**
 * Takes screenshots of the demo: of every page into an ignored folder, with `readme` that of the README, with `guide`
 * those of the console's guide. With `clip` it records the README's clip.
 */
export async function main([mode]: readonly string[]): Promise<void> {
  if (mode === 'clip') return recordClips(PICTURES)
  const root = writeDemoProject()
  const server = await startServer('dev', { cwd: root })
  const browser = await BenchBrowser.launch(server.url)
  try {
    const demo = await fillDemo(server.url)
    if (mode === 'readme') await takePicture(browser, demo)
    else if (mode === 'guide') await takeGuidePictures(browser, demo)
    else await takeAll(browser, demo)
  } finally {
    await browser.close()
    await server.stop()
    removeProject(root)
  }
}

async function takeAll(browser: BenchBrowser, demo: DemoData): Promise<void> {
  fs.rmSync(OUT, { recursive: true, force: true })
  fs.mkdirSync(OUT, { recursive: true })
  for (const colorScheme of THEMES)
    for (const viewport of SIZES)
      for (const { name, address } of addresses(demo)) {
        const file = path.join(OUT, `${name}-${colorScheme}-${viewport.width}.png`)
        const page = await browser.open(address, { colorScheme, viewport })
        await page.screenshot({ path: file })
        await page.context().close()
        process.stdout.write(`${path.relative(REPOSITORY, file)}\n`)
      }
}

interface Named {
  readonly name: string
  readonly address: string
}

/** Every page with the ids of the demo, and tabs with other content. */
function addresses({ shipped, waiting, traceId }: DemoData): Named[] {
  const table = fs.readFileSync(path.join(REPOSITORY, 'src/console/app/routes.ts'), 'utf8')
  const ids: Record<string, Readonly<Record<string, string>>> = {
    executions: { shipped, waiting },
    workflows: { order: 'order' },
    agents: { support: 'support' },
    traces: { shipped: traceId },
  }
  const paths = [...table.matchAll(/path: '([^']*)'/g)].map(([, found = '']) => found)
  const pages = paths.flatMap((found) => {
    if (!found.includes(':')) return [{ name: found.replaceAll('/', '-') || 'home', address: found }]
    const area = found.split('/')[0] ?? ''
    return Object.entries(ids[area] ?? {}).map(([name, id]) => ({
      name: `${area}-${name}`,
      address: found.replace(/:\w+/, id),
    }))
  })
  const tabsOf = (page: string, address: string, searches: readonly string[]) =>
    searches.map((search) => ({ name: `${page}-${search.split('=')[1]}`, address: `${address}?${search}` }))
  return [
    ...pages,
    ...tabsOf('executions-shipped', `executions/${shipped}`, [
      'view=graph',
      'view=costs',
      'tab=events',
      'tab=logs',
    ]),
    ...tabsOf('settings', 'settings', ['tab=access', 'tab=keys']),
  ]
}

async function takePicture(browser: BenchBrowser, { waiting }: DemoData): Promise<void> {
  fs.mkdirSync(PICTURES, { recursive: true })
  for (const colorScheme of THEMES) {
    const page = await browser.open(`executions/${waiting}?view=graph`, {
      colorScheme,
      viewport: PICTURE,
      deviceScaleFactor: 2,
    })
    await page.screenshot({ path: path.join(PICTURES, `console-${colorScheme}.png`) })
    await page.context().close()
  }
}
