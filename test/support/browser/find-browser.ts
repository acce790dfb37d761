import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

/** Executable names of browsers that Playwright can control. */
const NAMES = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'chrome']

const PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
]

/** Flags that work without a display, as root, and without a network. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The path of the first browser that starts. */
export async function findBrowser(): Promise<string> {
  const failures: string[] = []
  try {
    for await (const executablePath of browsers()) {
      try {
        await (await launch(executablePath)).close()
        return executablePath
      } catch (error) {
        failures.push(`${executablePath}: ${String(error).split('\n')[0]}`)
      }
    }
  } catch (error) {
    failures.push(String(error))
  }
  throw new Error(
    `The browser tests need Chrome or Chromium: install one, or set CHROME_PATH. Tried:\n${failures.join('\n')}`,
  )
}

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS, headless: true })
}

/**
 * Browsers to try in order: CHROME_PATH, a system browser, the one of @sparticuz/chromium, and as root on Debian a
 * newly installed one.
 */
async function* browsers(): AsyncGenerator<string> {
  const { CHROME_PATH } = process.env
  if (CHROME_PATH !== undefined && CHROME_PATH !== '') {
    yield CHROME_PATH
    return
  }
  yield* installed()
  const { default: bundled } = await import('@sparticuz/chromium')
  yield await bundled.executablePath()
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
  execFileSync('apt-get', ['install', '-y', '-qq', 'chromium'], { stdio: 'ignore' })
  yield* installed()
}

function installed(): string[] {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '')
  const named = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name)))
  return [...named, ...PATHS].filter(isExecutable).slice(0, 1)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
