import { STATUS_CODES } from 'node:http'
import { vi } from 'vitest'
import { ENDPOINT_LIST } from '../../../../src/contract/index.ts'
import { routeMatcher } from '../../../../src/contract/route-pattern.ts'
import { MACHINE_ID } from '../../../../src/lib/machine-id.ts'
import { PackageRegistry } from '../../../support/project/package-registry.ts'
import { EXAMPLES } from './examples.ts'
import type { Example, ExampleRequest } from './examples.ts'
import { BASE_URL, ExampleServer } from './example-server.ts'
import { formatJson } from './format-json.ts'

/** A request and its response as text, as HTTP/1.1 sends them. */
export interface Exchange {
  readonly request: string
  readonly response: string
}

export type Exchanges = Readonly<Record<string, Exchange>>

/** Variables that the server reads: its settings are shown, and must not be those of this machine. */
const SETTING = /^(?:AGENTSERVER|SERVICE|OPENAI|ANTHROPIC|GOOGLE|OLLAMA|OTEL)_|^(?:PORT|HOST|NODE_ENV)$/

const NOW = new Date('2026-11-23T09:30:00.000Z')

/** Sends the example of each endpoint to a server of its own, and returns what was sent and received. */
export async function recordExamples(): Promise<Exchanges> {
  const registry = await new PackageRegistry({
    slugs: { versions: ['1.0.0', '1.0.1'] },
    '@shop/slugs': { versions: ['1.0.0', '1.1.0'] },
  }).listen()
  for (const name of Object.keys(process.env)) if (SETTING.test(name)) vi.stubEnv(name, undefined)
  for (const [name, value] of Object.entries(registry.env)) vi.stubEnv(name, value)
  // time passes only where an example says so
  vi.useFakeTimers({ toFake: ['Date'] })
  const precise = vi.spyOn(performance, 'now').mockImplementation(() => Date.now() - performance.timeOrigin)
  try {
    const recorded: [string, Exchange][] = []
    for (const [key, { method, path }] of ENDPOINT_LIST) {
      const example = EXAMPLES[key]
      if (example === undefined) continue
      vi.setSystemTime(NOW)
      recorded.push([key, await record(example, `${method} ${path}`)])
    }
    return Object.fromEntries(recorded)
  } finally {
    precise.mockRestore()
    vi.useRealTimers()
    vi.unstubAllEnvs()
    await registry.close()
  }
}

async function record(prepare: Example, route: string): Promise<Exchange> {
  const server = new ExampleServer()
  const [method = ''] = route.split(' ')
  try {
    const example = await prepare(server)
    if (!routeMatcher([route])({ method, path: new URL(example.path, BASE_URL).pathname }))
      throw new Error(`The example of ${route} is a request to ${example.path}`)
    const sending = (example.server ?? server).send(method, example.path, example.json, example.headers)
    await example.meanwhile?.()
    const response = await sending
    const body = example.staysOpen ? '' : await response.text()
    if (example.staysOpen) await response.body?.cancel()
    if (!response.ok) throw new Error(`The example of ${route} got ${response.status}: ${body}`)
    const known = new Fixed(server.project.root)
    return {
      request: known.text(requestText(method, example)),
      response: known.text(responseText(response, body)),
    }
  } finally {
    await server.close()
  }
}

function requestText(method: string, { path, json, headers = {} }: ExampleRequest): string {
  const hasBody = json !== undefined
  const lines = Object.entries({ ...(hasBody && { 'Content-Type': 'application/json' }), ...headers })
  return [
    `${method} ${path}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    ...(hasBody ? ['', formatJson(json)] : []),
  ].join('\n')
}

/** The headers of a response that say something about the endpoint. */
const SHOWN = ['Content-Type', 'X-Total-Count', 'X-Next-Cursor', 'Preference-Applied', 'Retry-After']

function responseText({ status, headers }: Response, body: string): string {
  const type = headers.get('content-type') ?? ''
  const shown = SHOWN.flatMap((name) => (headers.has(name) ? [`${name}: ${headers.get(name)}`] : []))
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...shown,
    ...(body === '' ? [] : ['', bodyText(type, body)]),
  ].join('\n')
}

/** Documents are shown with their first lines. */
const SHOWN_LINES = 12

function bodyText(type: string, body: string): string {
  if (type.startsWith('text/html')) return '…'
  if (type.startsWith('text/plain')) return firstLines(body)
  if (type.startsWith('text/event-stream')) return body.trim()
  const text = formatJson(JSON.parse(body))
  return text.includes('"openapi": ') ? firstLines(text) : text
}

function firstLines(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => (line.length > 160 ? `${line.slice(0, 160)}…` : line))
  return lines.length > SHOWN_LINES ? [...lines.slice(0, SHOWN_LINES), '…'].join('\n') : lines.join('\n')
}

/** Replaces what differs between two runs: random ids, and values of this machine. */
class Fixed {
  readonly #root: string
  readonly #ids = new Map<string, string>()

  constructor(root: string) {
    this.#root = root
  }

  text(text: string): string {
    return (
      text
        .replaceAll(this.#root, '/srv/shop')
        // the code of the examples
        .replaceAll(`${import.meta.dirname}/`, 'src/')
        .replaceAll(/(?<=\+)[\da-f]{12}\b/g, '3f9a2c41d0e5')
        .replaceAll(MACHINE_ID, 'shop-1:4711')
        .replaceAll(`"node": "${process.versions.node}"`, '"node": "24.11.0"')
        .replaceAll(/(?<=\/links\/)[\w.-]+/g, 'WyIwMTlhYjBmMi02YzQwLTcwMDA.bJQf28-enfFkmV2RXk_MMri')
        .replaceAll(/\baitxt-\w{24}\b/g, (id) => this.#id(id, (number) => `aitxt-${number.padStart(4, '0')}`))
        .replaceAll(
          /(?<![\da-f])[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[\da-f]{4}-[\da-f]{12}(?![\da-f])/g,
          (id) => this.#id(id, (number) => `019ab0f2-6c40-7000-8000-${number.padStart(12, '0')}`),
        )
        .replaceAll(/\b[\da-f]{32}\b/g, (id) =>
          this.#id(id, (number) => `4bf92f3577b34da6a3ce929d0e0e${number.padStart(4, '0')}`),
        )
        .replaceAll(/\b[\da-f]{16}\b/g, (id) =>
          this.#id(id, (number) => `00f067aa0ba9${number.padStart(4, '0')}`),
        )
    )
  }

  #id(id: string, make: (number: string) => string): string {
    const known = this.#ids.get(id) ?? make(String(this.#ids.size + 1))
    this.#ids.set(id, known)
    return known
  }
}
