import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'

const STAGE = { width: 1040, height: 706 }
/** The size of the console in the clip, in CSS pixels. */
export const CONSOLE = { width: 1040, height: 500 }
/** The two pixels per CSS pixel of the clip. */
export const SCALE = 2
/** The parts of the clip, named under the console. */
export const PARTS = ['save', 'reloaded', 'run', 'kill -9', 'start', 'it continues', 'approve'] as const
const SHORTEST = 120
const LONGEST = 1100
const LAST = 3000
const QUALITY = 75

/** What is seen at one time. */
export interface Frame {
  readonly at: number
  readonly console: Buffer
  readonly part: number
  /** Lines of the terminal that serves, and of the one that has commands typed. */
  readonly serving: readonly string[]
  readonly typing: readonly string[]
}

type Theme = 'light' | 'dark'

const COLOURS = {
  light: { ground: '#f4f4f5', text: '#27272a', dim: '#a1a1aa', line: '#d4d4d8', now: '#4f46e5' },
  dark: { ground: '#101014', text: '#e4e4e7', dim: '#71717a', line: '#2e2e35', now: '#a5b4fc' },
}

/** Lays the console and two terminals on one picture per frame, and writes them as an animated WebP. */
export async function writeClip(
  page: Page,
  frames: readonly Frame[],
  theme: Theme,
  file: string,
): Promise<void> {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'clip-'))
  try {
    await page.setViewportSize(STAGE)
    await page.setContent(stage(theme))
    const pictures: { readonly name: string; readonly shown: number }[] = []
    for (const [index, frame] of frames.entries()) {
      await page.evaluate(`show(${JSON.stringify({ ...frame, console: frame.console.toString('base64') })})`)
      const name = path.join(folder, `${String(index).padStart(3, '0')}.png`)
      fs.writeFileSync(name, await page.screenshot())
      const next = frames[index + 1]
      const shown = next ? Math.min(LONGEST, Math.max(SHORTEST, next.at - frame.at)) : LAST
      pictures.push({ name, shown: Math.round(shown) })
    }
    const lossy = ['-lossy', '-q', String(QUALITY), '-m', '4']
    const inputs = pictures.flatMap(({ name, shown }) => [...lossy, '-d', String(shown), name])
    execFileSync('img2webp', ['-min_size', ...inputs, '-o', file], { stdio: 'ignore' })
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Fails if the encoder is not installed: it is no package of npm. */
export function checkEncoder(): void {
  try {
    execFileSync('img2webp', ['-version'], { stdio: 'ignore' })
  } catch {
    throw new Error('The clip needs img2webp: install the package "webp" of your system, or libwebp')
  }
}

function stage(theme: Theme): string {
  const { ground, text, dim, line, now } = COLOURS[theme]
  return `<!doctype html><style>
    body { margin: 0; background: ${ground}; color: ${text}; font: 12px/19px ui-monospace, 'DejaVu Sans Mono', monospace }
    img { display: block; width: ${CONSOLE.width}px; height: ${CONSOLE.height}px }
    ol { display: flex; gap: 28px; margin: 0; padding: 8px 16px; list-style: none; font: 13px/20px sans-serif;
      border-block: 1px solid ${line} }
    li { color: ${dim} } li.now { color: ${now}; font-weight: 600 } li.past { color: ${text} }
    main { display: grid; grid-template-columns: 1fr 1fr }
    pre { margin: 0; padding: 10px 16px; height: 150px; box-sizing: border-box; overflow: hidden; font: inherit;
      white-space: pre-wrap }
    pre + pre { border-left: 1px solid ${line} }
  </style><img><ol>${PARTS.map((part) => `<li>${part}</li>`).join('')}</ol><main><pre></pre><pre></pre></main>
  <script>
    globalThis.show = async ({ console, part, serving, typing }) => {
      const image = document.querySelector('img')
      image.src = 'data:image/png;base64,' + console
      await image.decode()
      document.querySelectorAll('li').forEach((item, index) => {
        item.className = index === part ? 'now' : index < part ? 'past' : ''
      })
      document.querySelectorAll('pre').forEach((pane, index) => {
        pane.textContent = (index === 0 ? serving : typing).slice(-7).join('\\n')
      })
    }
  </script>`
}
