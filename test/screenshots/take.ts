import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { BenchBrowser } from '../bench/console-page.ts'
import { startServer } from '../bench/process.ts'
import { REPOSITORY, removeProject } from '../bench/project.ts'
import { fillDemo } from './fill-demo.ts'
import type { DemoData } from './fill-demo.ts'

const OUT = path.join(import.meta.dirname, 'out')
const PICTURES = path.join(REPOSITORY, '.github')
const THEMES = ['light', 'dark'] as const
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 700 },
]

/**
 * Takes pictures of the running demo: of every page, into a folder that git ignores, or with `picture` those of the
 * README.
 */
export async function main([what]: readonly string[]): Promise<void> {
  const root = copyOfDemo()
  const server = await startServer('dev', { cwd: root })
  const browser = await BenchBrowser.launch(server.url)
  try {
    const demo = await fillDemo(server.url)
    if (what === 'picture') await takePicture(browser, demo)
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
  for (const address of addresses(demo))
    for (const colorScheme of THEMES)
      for (const viewport of SIZES) {
        const name = address.replaceAll(/[^\w]+/g, '-').replace(/-[0-9a-f-]{20,}/, '') || 'overview'
        const file = path.join(OUT, `${name}-${colorScheme}-${viewport.width}.png`)
        const page = await browser.open(address, { colorScheme, viewport })
        await page.screenshot({ path: file })
        await page.context().close()
        process.stdout.write(`${path.relative(REPOSITORY, file)}\n`)
      }
}

/** Every page, with what stands in the demo for its parameter, and the tabs that show something else. */
function addresses({ shipped, waiting, traceId }: DemoData): string[] {
  const table = fs.readFileSync(path.join(REPOSITORY, 'src/console/app/routes.ts'), 'utf8')
  const things: Record<string, readonly string[]> = {
    executions: [shipped, waiting],
    workflows: ['order'],
    agents: ['support'],
    traces: [traceId],
  }
  const paths = [...table.matchAll(/path: '([^']*)'/g)].map(([, found = '']) => found)
  const pages = paths.flatMap((found) =>
    found.includes(':')
      ? (things[found.split('/')[0] ?? ''] ?? []).map((thing) => found.replace(/:\w+/, thing))
      : [found],
  )
  const tabs = ['graph', 'events', 'state', 'io', 'logs'].map((tab) => `executions/${shipped}?tab=${tab}`)
  return [...pages, ...tabs, 'settings?tab=access', 'settings?tab=keys']
}

async function takePicture(browser: BenchBrowser, _: DemoData): Promise<void> {
  fs.mkdirSync(PICTURES, { recursive: true })
  for (const colorScheme of THEMES) {
    const page = await browser.open('', { colorScheme, viewport: { width: 1280, height: 760 } })
    await page.screenshot({ path: path.join(PICTURES, `console-${colorScheme}.png`) })
    await page.context().close()
  }
}

function copyOfDemo(): string {
  const root = fs.mkdtempSync(path.join(tmpdir(), 'agentserver-demo-'))
  fs.cpSync(path.join(REPOSITORY, 'templates/basic'), root, {
    recursive: true,
    filter: (file) => !/[\\/](node_modules|\.agentserver|test)$/.test(file),
  })
  fs.symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(root, 'node_modules'))
  return root
}
