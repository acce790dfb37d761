/** The commands that open a URL in the default browser, without a shell. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
const DEFAULT_OPENER = ['xdg-open'] as const

/** Opens a page in the default browser. `onFailure` receives the reason if that fails. */
export async function openInBrowser(url: string, onFailure: (reason: string) => void): Promise<void> {
  const [opener, ...args] = OPENERS[process.platform] ?? DEFAULT_OPENER
  const { execa } = await import('execa')
  const opening = execa(opener, [...args, url], {
    stdio: 'ignore',
    // some commands become the browser itself, which must outlive the server
    detached: true,
    cleanup: false,
    reject: false,
  })
  opening.unref()
  const { failed, code, exitCode } = await opening
  if (failed)
    onFailure(`${opener} ${code === 'ENOENT' ? 'is not installed' : `exited with code ${exitCode}`}`)
}
