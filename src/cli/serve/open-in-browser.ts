/** What opens a URL the way its owner wants it opened; none of them goes through a shell. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
const OTHER_SYSTEMS = ['xdg-open'] as const

/** Opens a page in the browser, which may stay open. `onFailure` is told when that did not work. */
export async function openInBrowser(url: string, onFailure: (reason: string) => void): Promise<void> {
  const [opener, ...args] = OPENERS[process.platform] ?? OTHER_SYSTEMS
  const { execa } = await import('execa')
  const opening = execa(opener, [...args, url], {
    stdio: 'ignore',
    // some openers become the browser: it is neither waited for nor ended with the server
    detached: true,
    cleanup: false,
    reject: false,
  })
  opening.unref()
  const { failed, code, exitCode } = await opening
  if (failed) onFailure(`${opener} ${code === 'ENOENT' ? 'is not installed' : `ended with ${exitCode}`}`)
}
