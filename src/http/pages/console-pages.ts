import { AppError } from '../../lib/errors.ts'
import { codingHeader } from './built-files.ts'
import type { ConsoleFiles, ConsolePage } from './console-files.ts'
import type { Document } from '../reply/reply.ts'

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const HTML = 'text/html; charset=utf-8'
const PAGE_HEADERS = {
  'Content-Security-Policy': CSP,
  'Cache-Control': 'no-cache',
  'Referrer-Policy': 'no-referrer',
}
const HASHED = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' }
const UNHASHED = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' }

const NOT_BUILT = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>agentserver</title></head>
<body><h1>The console is not built</h1><p>Run <code>npm run build</code> and reload this page.</p></body></html>
`

/**
 * The document at a path of the console: a file of its build, or the page for a route of the app.
 *
 * @throws AppError `not_found` for a file that does not exist.
 */
export async function consoleDocument(files: ConsoleFiles, request: Request): Promise<Document> {
  const name = nameIn(request.url)
  const file = await files.file(name, request.headers.get('accept-encoding') ?? '')
  if (file) {
    const caching = name.startsWith('assets/') ? HASHED : UNHASHED
    return { body: file.body, type: file.type, headers: { ...caching, ...codingHeader(file) } }
  }
  if (name.startsWith('assets/') || /^[^/]+\.\w+$/.test(name))
    throw new AppError('not_found', `File not found: ${name}`)
  const { page } = files
  if (!page) return { body: NOT_BUILT, type: HTML, headers: PAGE_HEADERS }
  return pageDocument(page, request)
}

function pageDocument(page: ConsolePage, request: Request): Document {
  const up = pathToRoot(new URL(request.url).pathname)
  const etag = `"${page.hash}-${up.split('/').length}"`
  const headers = { ...PAGE_HEADERS, ETag: etag }
  const known = request.headers.get('if-none-match')?.split(',') ?? []
  if (known.some((one) => one.trim().replace(/^W\//, '') === etag)) return { body: null, type: HTML, headers }
  return { body: page.parts.join(`"${up}`), type: HTML, headers }
}

/** The relative URL from a page to the console's root. It works behind any path prefix of a proxy. */
function pathToRoot(pathname: string): string {
  if (pathname === '/console') return './console'
  const depth = pathname.split('/').length - 3
  return depth === 0 ? '.' : Array.from({ length: depth }, () => '..').join('/')
}

/** The path below `/console/`. With an invalid percent escape it stays encoded, and matches no file. */
function nameIn(url: string): string {
  const { pathname } = new URL(url)
  const below = pathname.replace(/^\/console\/?/, '')
  try {
    return decodeURIComponent(below)
  } catch {
    return below
  }
}
