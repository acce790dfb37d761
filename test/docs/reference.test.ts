import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { EXIT } from '../../src/cli/exit-code.ts'
import { resolveConfig } from '../../src/config/config.ts'
import type { AgentServerConfig } from '../../src/config/config.ts'
import { LOG_PAGE } from '../../src/contract/endpoints/log.ts'
import { PAGE } from '../../src/contract/fields.ts'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import { STATUS_BY_CODE } from '../../src/lib/errors.ts'
import { retryPolicy } from '../../src/step/retry.ts'
import { STEP_KINDS } from '../../src/workflow/steps/index.ts'
import { documentationPages, readText, root } from './pages.ts'
import { apiDescription } from './reference/api-description.ts'
import type { ApiDescription } from './reference/api-description.ts'
import { clientBlocks } from './reference/client-methods.ts'
import { commandBlocks } from './reference/commands.ts'
import { errorBlocks } from './reference/error-codes.ts'
import { replaceBlocks } from './reference/generated-blocks.ts'
import type { Blocks } from './reference/generated-blocks.ts'
import { httpIndexBlocks, httpPageBlocks, sharedObjectsBlocks } from './reference/http-api.ts'
import { HTTP_PAGES } from './reference/http/pages.ts'
import { recordExamples } from './reference/http/record-examples.ts'
import type { Exchanges } from './reference/http/record-examples.ts'
import { membersOf, sourceText } from './reference/interface-members.ts'
import { linkedPages, withGuides } from './reference/llms-text.ts'
import { liveChannelBlocks } from './reference/live-channels.ts'
import { metricBlocks } from './reference/metrics.ts'
import { priceBlocks } from './reference/prices.ts'
import { OPTION_TABLES, rowsBelow } from './reference/option-tables.ts'

/** The generated parts of the reference pages, by page. */
const GENERATED: Readonly<Record<string, (description: ApiDescription) => Blocks | Promise<Blocks>>> = {
  'http-api': httpIndexBlocks,
  'http/objects': sharedObjectsBlocks,
  'live-channels': liveChannelBlocks,
  client: clientBlocks,
  cli: commandBlocks,
  metrics: metricBlocks,
  errors: errorBlocks,
  prices: priceBlocks,
}

let description: ApiDescription
let exchanges: Exchanges
beforeAll(async () => {
  description = await apiDescription()
  exchanges = await recordExamples()
})

/** A page with generated parts as the code makes it, and its file. */
function pageOf(name: string, blocks: Blocks): { current: string; file: string } {
  const page = `docs/reference/${name}.md`
  return { current: replaceBlocks(readText(page), blocks), file: fileURLToPath(new URL(page, root)) }
}

describe('the generated parts of the reference', () => {
  test.each(Object.entries(GENERATED))(
    '%s matches the code; `npm run docs` rewrites it',
    async (name, blocks) => {
      const { current, file } = pageOf(name, await blocks(description))
      await expect(current).toMatchFileSnapshot(file)
    },
  )

  test.each(HTTP_PAGES)(
    'http/$name matches the code, with examples; `npm run docs` rewrites it',
    async (page) => {
      const { current, file } = pageOf(`http/${page.name}`, httpPageBlocks(page, description, exchanges))
      await expect(current).toMatchFileSnapshot(file)
    },
  )

  test('openapi.json is what GET /doc returns without a configuration; `npm run docs` rewrites it', async () => {
    const file = fileURLToPath(new URL('docs/reference/openapi.json', root))
    await expect(`${JSON.stringify(description, null, 2)}\n`).toMatchFileSnapshot(file)
  })

  test('of the HTTP API has every endpoint on one page', () => {
    const documented = HTTP_PAGES.flatMap(({ name }) =>
      [...pageText(`http/${name}`).matchAll(/Client method: `api\.(?:console\.)?(\w+)`/g)].map(
        ([, key = '']) => key,
      ),
    )
    const declared = ENDPOINT_LIST.map(([key]) => key)
    const byName = (a: string, b: string) => a.localeCompare(b)
    expect(documented.toSorted(byName)).toEqual(declared.toSorted(byName))
  })
})

describe('llms.txt', () => {
  test('lists the guides', async () => {
    const current = withGuides(readText('llms.txt'))
    await expect(current).toMatchFileSnapshot(fileURLToPath(new URL('llms.txt', root)))
  })

  test('links to every page, and to no other file', () => {
    const linked = linkedPages(withGuides(readText('llms.txt')))
    expect(linked.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
    const pages = documentationPages().map(({ path }) => path)
    expect(pages.filter((path) => !linked.includes(path))).toEqual([])
  })
})

const pageText = (name: string) => readText(`docs/reference/${name}.md`)
const source = sourceText()

describe('the option tables of the reference', () => {
  test.each(OPTION_TABLES)('%s.md, %s, lists the members of its interfaces', (page, heading, interfaces) => {
    const listed = rowsBelow(heading, pageText(page))
    const members = interfaces.flatMap((name) => membersOf(name, source))
    const inherited = heading.startsWith('### and') ? ['retries', 'timeoutMs', 'suspendTimeout'] : []
    expect(members.filter((name) => !listed.includes(name) && !isCommon(name, heading))).toEqual([])
    expect(listed.filter((name) => !members.includes(name) && !inherited.includes(name))).toEqual([])
  })

  test('config.md lists every option of the configuration, with its default', () => {
    const rows = pageText('config')
    const defaults = leaves(resolveConfig({}, 'agentserver.config.ts')).filter(
      ([, value]) => value !== undefined,
    )
    const missing = defaults
      .map(([name, value]) => `| \`${name}\` | \`${inCode(value)}\` |`)
      .filter((row) => !rows.includes(row))
    expect(missing).toEqual([])
    expect(CONFIG_OPTIONS.filter((name) => !rows.includes(`| \`${name}`))).toEqual([])
  })

  test('steps.md has a section for every step kind and the defaults of retries', () => {
    const page = pageText('steps')
    expect(Object.keys(STEP_KINDS).filter((kind) => !page.includes(`\n### ${kind}\n`))).toEqual([])
    const rows = Object.entries(retryPolicy(undefined)).map(
      ([name, value]) => `| \`${name}\` | \`${value}\` |`,
    )
    expect(rows.filter((row) => !page.includes(row))).toEqual([])
  })
})

describe('the reference', () => {
  test('has the page sizes of lists', () => {
    expect(pageText('http-api')).toContain(
      `return ${PAGE.defaultLimit} items by default, newest first; \`limit\` is ${PAGE.maxLimit} at most (log records: ${LOG_PAGE.defaultLimit} by default, ${LOG_PAGE.maxLimit.toLocaleString('en-US')} at most)`,
    )
  })

  test('lists every status of an error response', () => {
    const statuses = Object.values(STATUS_BY_CODE)
    expect(statuses.filter((status) => !pageText('errors').includes(`\n| ${status} |`))).toEqual([])
  })

  test('lists every exit code', () => {
    expect(Object.values(EXIT).filter((code) => !pageText('cli').includes(`\n| ${code} | `))).toEqual([])
  })

  test('lists every environment variable that the code reads, and no other', () => {
    const listed = new Set(pageText('environment').match(/(?<=`)[A-Z][A-Z_]{3,}(?=`)/g))
    const read = new Set([...readDirectly(), ...readBySignal()])
    expect([...listed].toSorted()).toEqual([...read].toSorted())
  })
})

/** Every option of the configuration. One that is missing does not compile. */
const CONFIG_OPTIONS = Object.keys({
  workflows: true,
  agents: true,
  tools: true,
  schedules: true,
  mcpServers: true,
  port: true,
  host: true,
  database: true,
  durability: true,
  enableSwaggerUI: true,
  console: true,
  openai: true,
  onExecutionEnd: true,
  configureApp: true,
  webSockets: true,
  cors: true,
  allowedHosts: true,
  updates: true,
  approvals: true,
  publicUrl: true,
  linkTtl: true,
  retention: true,
  prices: true,
  budgets: true,
  observability: true,
  limits: true,
  authNext: true,
  auth: true,
} satisfies Record<keyof AgentServerConfig, true>)

/** Options that a table of all step kinds has, not the table of each. */
function isCommon(name: string, heading: string): boolean {
  return heading.startsWith('### and') && ['id', 'name', 'purpose'].includes(name)
}

/** Variables that the code names: `env['NAME']`, and names in quotes with one of our prefixes. */
function readDirectly(): string[] {
  const named = /'((?:AGENTSERVER|SERVICE|OPENAI|ANTHROPIC|GOOGLE_GENERATIVE_AI|OLLAMA|OTEL)_[A-Z_]+)'/g
  const destructured = [...source.matchAll(/\{([^{}]*)\} = process\.env/g)].flatMap(([, names = '']) =>
    [...names.matchAll(/\b([A-Z][A-Z_]+)\b/g)].map(([, name = '']) => name),
  )
  return [
    ...[...source.matchAll(/\benv\['([A-Z][A-Z_]+)'\]/g)].map(([, name = '']) => name),
    ...[...source.matchAll(named)].map(([, name = '']) => name),
    ...destructured,
  ]
}

/** Variables that exist for each signal; most exist for all signals together, too. */
function readBySignal(): string[] {
  const shared = [...source.matchAll(/\bvariable\('([A-Z_]+)'\)/g)].flatMap(([, name = '']) =>
    ['', 'TRACES_', 'METRICS_'].map((signal) => `OTEL_EXPORTER_OTLP_${signal}${name}`),
  )
  const named = [...source.matchAll(/`(OTEL_[A-Z_]*)\$\{signal\}(_[A-Z_]+)`/g)].flatMap(
    ([, start = '', end = '']) => ['TRACES', 'METRICS'].map((signal) => start + signal + end),
  )
  return [...shared, ...named]
}

/** Every value in an object with the dotted path to it. */
function leaves(value: object, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([key, entry]: [string, unknown]) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? leaves(entry, `${prefix}${key}.`)
      : [[prefix + key, entry] as [string, unknown]],
  )
}

function inCode(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}
