import { createRequire } from 'node:module'
import path from 'node:path'

/** The `node_modules` with Prism, set by .ci/run. Without it responses are not compared with `/doc`. */
const FOLDER = process.env['PRISM_FOLDER']

type Fetch = (request: Request) => Promise<Response>

interface Violation {
  readonly path?: readonly string[]
  readonly message: string
}

interface Exchange {
  readonly method: string
  readonly url: { readonly path: string; readonly query: object }
  readonly headers: object
  readonly answer: { readonly statusCode: number; readonly headers: object; readonly body: unknown }
}

type Result =
  | { readonly _tag: 'Left' }
  | { readonly _tag: 'Right'; readonly right: { readonly validations: { readonly output: Violation[] } } }

type Proxy = (exchange: Exchange) => Promise<Result>

/**
 * Puts Prism as a proxy before a server in this process: its forwarding returns the server's response, which it then
 * compares with the description. A violation rejects the request. Requests that Prism has no operation for pass:
 * HEAD, custom routes, unknown paths.
 */
export function behindPrism(fetch: Fetch, describe: () => Promise<object>): Fetch {
  if (FOLDER === undefined) return fetch
  return async (request) => {
    const response = await fetch(request)
    const violations = await violationsOf(request, response, await proxy(FOLDER, describe))
    if (violations.length === 0) return response
    const { pathname } = new URL(request.url)
    throw new Error(
      `${request.method} ${pathname} ${response.status} differs from /doc: ${violations.join('; ')}`,
    )
  }
}

async function violationsOf(request: Request, response: Response, prism: Proxy): Promise<string[]> {
  const { status: statusCode, headers } = response
  const type = headers.get('content-type') ?? ''
  // OpenAPI 3.1 can't describe a stream: its schema is that of one event, and info.description says so
  const isStream = type.startsWith('text/event-stream')
  const text = isStream ? '' : await response.clone().text()
  const { pathname, searchParams } = new URL(request.url)
  const result = await prism({
    method: request.method.toLowerCase(),
    url: { path: pathname, query: Object.fromEntries(searchParams) },
    headers: Object.fromEntries(request.headers),
    answer: {
      statusCode,
      headers: Object.fromEntries(headers),
      body: type.startsWith('application/json') && text !== '' ? (JSON.parse(text) as unknown) : text,
    },
  })
  const output = result._tag === 'Left' ? [] : result.right.validations.output
  return output
    .filter(({ path: place = [] }) => !(isStream && place[0] === 'body'))
    .map(({ path: place = [], message }) => [...place, message].join(' '))
}

const shared = globalThis as { prism?: Promise<Proxy> }

/** One proxy for all test files of this process: it takes long to read the description. */
function proxy(folder: string, describe: () => Promise<object>): Promise<Proxy> {
  shared.prism ??= createProxy(folder, describe)
  return shared.prism
}

async function createProxy(folder: string, describe: () => Promise<object>): Promise<Proxy> {
  const load = createRequire(path.join(folder, 'x'))
  const http = load('@stoplight/prism-http') as {
    getHttpOperationsFromSpec(document: object): Promise<object[]>
    createInstance(
      config: object,
      components: object,
    ): { request(exchange: Exchange, operations: object[]): () => Promise<Result> }
  }
  const operations = await http.getHttpOperationsFromSpec(await describe())
  const silent = () => undefined
  const logger = {
    child: () => logger,
    trace: silent,
    debug: silent,
    info: silent,
    warn: silent,
    error: silent,
  }
  // a task of fp-ts
  const forward =
    ({ data }: { data: Exchange }) =>
    () =>
    () =>
      Promise.resolve({ _tag: 'Right', right: data.answer })
  const instance = http.createInstance(
    {
      isProxy: true,
      upstream: new URL('http://localhost'),
      errors: true,
      validateRequest: false,
      validateResponse: true,
      checkSecurity: false,
      mock: {},
    },
    { logger, forward },
  )
  return (exchange) => instance.request(exchange, operations)()
}
