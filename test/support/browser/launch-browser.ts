import type { Browser } from 'playwright-core'
import { inject } from 'vitest'
import { launch } from './find-browser.ts'

/**
 * Starts a browser for a test file. That is quicker than sharing one between the workers, whose every call would pass
 * through the process that runs them.
 */
export async function launchBrowser(): Promise<Browser> {
  const response = await fetch(inject('browserPathUrl'))
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  // on a loaded machine Chromium crashes at its start now and then
  return launch(text).catch(() => launch(text))
}
