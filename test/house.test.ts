import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SRC = path.join(ROOT, 'src')

/** The layer of every room, a top-level folder of src. A room imports from itself and from lower layers only. */
const LAYERS: Readonly<Record<string, number>> = {
  lib: 0,
  contract: 1,
  step: 2,
  calls: 2,
  workflow: 3,
  agent: 3,
  client: 3,
  react: 4,
  store: 4,
  evals: 4,
  engine: 5,
  observability: 6,
  auth: 6,
  config: 6,
  updates: 6,
  mcp: 6,
  a2a: 6,
  openai: 6,
  'ag-ui': 6,
  http: 7,
  ws: 7,
  server: 8,
  testing: 9,
  cli: 9,
}

/** Imports between rooms of one layer that are allowed: a step may use an agent, and code sends the events of steps. */
const SAME_LAYER = new Set(['workflow → agent', 'calls → step'])

/** The rooms that the console, which runs in the browser, may import. */
const CONSOLE_IMPORTS = new Set(['console', 'contract', 'client'])

/** The configuration of the console's build: its name and default export are Vite's. */
const BUILD_CONFIG = 'console/vite.config.ts'

const FORBIDDEN_NAMES = /^(types|utils?|helpers?|common|misc|(?!package-).*manager)$/

interface SourceFile {
  /** The path in src, with `/`. */
  readonly name: string
  readonly room: string
  /** The imported files, by path in src: type imports and lazy imports included. */
  readonly imports: readonly string[]
  readonly text: string
}

function sourceFiles(): SourceFile[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((name) => /\.tsx?$/.test(name) && name !== BUILD_CONFIG)
    .map((name) => {
      const text = readFileSync(path.join(SRC, name), 'utf8')
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, spec = '']) =>
        path.posix.join(path.posix.dirname(name), spec),
      )
      return { name, room: roomOf(name), imports, text }
    })
}

function roomOf(name: string): string {
  return name.includes('/') ? (name.split('/')[0] ?? '') : 'index'
}

const files = sourceFiles()

describe('the layers', () => {
  it('include every room', () => {
    const rooms = new Set(files.map(({ room }) => room))
    expect([...rooms].filter((room) => !(room in LAYERS) && !['index', 'console'].includes(room))).toEqual([])
  })

  it('are imported from above only', () => {
    const wrong = files
      .filter(({ room }) => room !== 'index' && room !== 'console')
      .flatMap(({ name, room, imports }) =>
        imports
          .map((imported) => roomOf(imported))
          .filter((other) => other !== room && !SAME_LAYER.has(`${room} → ${other}`))
          .filter((other) => other === 'index' || (LAYERS[other] ?? 99) >= (LAYERS[room] ?? -1))
          .map((other) => `${name} imports ${other}`),
      )
    expect(wrong).toEqual([])
  })

  it('let the console import the contract and the client, and nobody import the console', () => {
    const wrong = files.flatMap(({ name, room, imports }) =>
      imports
        .map((imported) => roomOf(imported))
        .filter((other) => (room === 'console' ? !CONSOLE_IMPORTS.has(other) : other === 'console'))
        .map((other) => `${name} imports ${other}`),
    )
    expect(wrong).toEqual([])
  })

  it('keep the HTTP framework in the rooms of the transports', () => {
    const outside = files.filter(
      ({ room, text }) =>
        !['http', 'server', 'ws'].includes(room) && /^import (?!type )[^\n]*'(hono|@hono)/m.test(text),
    )
    expect(outside.map(({ name }) => name)).toEqual([])
  })
})

describe('imports', () => {
  it('form no circle, type imports and lazy imports included', () => {
    expect(circles(new Map(files.map(({ name, imports }) => [name, imports])))).toEqual([])
  })

  it('name files that exist', () => {
    const missing = files.flatMap(({ name, imports }) =>
      imports
        .filter((imported) => !existsSync(path.join(SRC, imported)))
        .map((imported) => `${name}: ${imported}`),
    )
    expect(missing).toEqual([])
  })
})

describe('files and folders', () => {
  it('are named in kebab-case, for their contents', () => {
    const names = files.map(({ name }) => path.posix.basename(name).replace(/\.tsx?$/, ''))
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([])
    expect(names.filter((name) => FORBIDDEN_NAMES.test(name))).toEqual([])
  })
})

describe('names', () => {
  it('are exported once, except in the console', () => {
    const exported = files
      .filter(({ room }) => room !== 'console')
      .flatMap(({ name, text }) => exportedNames(text).map((symbol) => [symbol, name] as const))
    const twice = [...groups(exported)].filter(([, names]) => names.size > 1)
    expect(twice.map(([symbol, names]) => `${symbol}: ${[...names].join(', ')}`)).toEqual([])
  })

  it('call a limit MAX_…', () => {
    const other = files.flatMap(({ name, text }) =>
      [...text.matchAll(/\b(?:MOST|LONGEST)_\w+/g)].map(([constant]) => `${name}: ${constant}`),
    )
    expect(other).toEqual([])
  })

  it('are not default exports', () => {
    expect(files.filter(({ text }) => /^export default /m.test(text)).map(({ name }) => name)).toEqual([])
  })

  it('of routes are written once, in the endpoint table', () => {
    const contract = files.filter(({ room }) => room === 'contract').map(({ text }) => text)
    const paths = contract.flatMap((text) => [...text.matchAll(/path: '(\/[^']+)'/g)].map(([, p = '']) => p))
    const distinctive = paths.filter((route) => route.split('/').length > 2)
    const again = files
      .filter(({ room }) => room !== 'contract')
      .flatMap(({ name, text }) =>
        distinctive.filter((route) => text.includes(`'${route}'`)).map((route) => `${name}: ${route}`),
      )
    expect(paths.length).toBeGreaterThan(10)
    expect(again).toEqual([])
  })
})

describe('ARCHITECTURE.md and CONTRIBUTING.md', () => {
  const documents = ['ARCHITECTURE.md', 'CONTRIBUTING.md']

  it.each(documents)('%s names files and folders that exist', (document) => {
    const text = readFileSync(path.join(ROOT, document), 'utf8')
    const named = [...text.matchAll(/`((?:src|test|docs|examples|templates|bin|scripts)\/[^`\s*<]*)`/g)]
    const missing = named.map(([, name = '']) => name).filter((name) => !existsSync(path.join(ROOT, name)))
    expect(named.length).toBeGreaterThan(10)
    expect(missing).toEqual([])
  })
})

function groups(pairs: readonly (readonly [string, string])[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const [key, value] of pairs) found.set(key, (found.get(key) ?? new Set()).add(value))
  return found
}

function exportedNames(text: string): string[] {
  const declaration =
    /^export (?:async )?(?:function\*?|const|let|(?:abstract )?class|interface|type|enum) (\w+)/gm
  return [...new Set([...text.matchAll(declaration)].map(([, name = '']) => name))]
}

/** The strongly connected parts of a graph that have more than one node (Tarjan 1972). */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (node: string): void => {
    order.set(node, order.size)
    low.set(node, order.get(node) ?? 0)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next)
      if (stack.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0))
    }
    if (low.get(node) !== order.get(node)) return
    const part = stack.splice(stack.indexOf(node))
    if (part.length > 1) found.push(part)
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return found
}
