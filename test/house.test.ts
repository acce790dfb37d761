import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const SRC = fileURLToPath(new URL('../src', import.meta.url))

/** The floor of every room. A room sees itself and lower floors; rooms that share a floor don't see each other. */
const FLOORS: Readonly<Record<string, number>> = {
  lib: 0,
  contract: 1,
  workflow: 2,
  agent: 2,
  client: 2,
  store: 3,
  engine: 4,
  observability: 5,
  auth: 5,
  config: 5,
  updates: 5,
  mcp: 5,
  a2a: 5,
  http: 6,
  ws: 6,
  server: 7,
  testing: 8,
  cli: 8,
}

/** Rooms of one floor that are declared together: a workflow's step may be an agent. */
const NEIGHBOURS = new Set(['workflow → agent'])

/** Runs when the package is built, not in it; its name and default export are Vite's. */
const BUILD_SETTINGS = path.join('console', 'vite.config.ts')

const FORBIDDEN_NAMES = /^(types|utils?|helpers?|common|misc|(?!package-).*manager)$/

interface SourceFile {
  readonly name: string
  readonly room: string
  readonly lines: number
  readonly imports: readonly string[]
  readonly text: string
}

function sourceFiles(): SourceFile[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') || name.endsWith('.tsx'))
    .filter((name) => name !== BUILD_SETTINGS)
    .map((file) => {
      const name = file.split(path.sep).join('/')
      const text = readFileSync(path.join(SRC, file), 'utf8')
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, spec = '']) =>
        path.posix.join(path.posix.dirname(name), spec),
      )
      return { name, room: roomOf(name), lines: text.split('\n').length - 1, imports, text }
    })
}

function roomOf(name: string): string {
  return name.includes('/') ? (name.split('/')[0] ?? '') : 'index'
}

const files = sourceFiles()

describe('the house', () => {
  it('has a floor for every room', () => {
    const rooms = [...new Set(files.map(({ room }) => room))].filter((room) => room !== 'index')
    expect(rooms.filter((room) => FLOORS[room] === undefined && room !== 'console')).toEqual([])
  })

  it('has rooms that see only themselves and lower floors', () => {
    const wrong = files
      .filter(({ room }) => room !== 'index' && room !== 'console')
      .flatMap(({ name, room, imports }) =>
        imports
          .map((imported) => roomOf(imported))
          .filter((other) => other !== room && !NEIGHBOURS.has(`${room} → ${other}`))
          .filter((other) => other === 'index' || (FLOORS[other] ?? 99) >= (FLOORS[room] ?? -1))
          .map((other) => `${name} sees ${other}`),
      )
    expect(wrong).toEqual([])
  })

  it('has a console that imports only the contract and the client, and that no other folder imports', () => {
    const wrong = files.flatMap(({ name, room, imports }) =>
      imports
        .map((imported) => roomOf(imported))
        .filter((other) => (room === 'console') !== (other === 'console'))
        .filter((other) => room !== 'console' || !['contract', 'client'].includes(other))
        .map((other) => `${name} imports ${other}`),
    )
    expect(wrong).toEqual([])
  })

  it('imports only files that are there', () => {
    const missing = files.flatMap(({ name, imports }) =>
      imports
        .filter((imported) => !existsSync(path.join(SRC, imported)))
        .map((imported) => `${name}: ${imported}`),
    )
    expect(missing).toEqual([])
  })

  it('has small files', () => {
    const sizes = files.map(({ lines }) => lines).toSorted((a, b) => a - b)
    const at = (share: number) => sizes[Math.floor((sizes.length - 1) * share)] ?? 0
    expect(files.filter(({ lines }) => lines > 300).map(({ name }) => name)).toEqual([])
    expect(at(0.5)).toBeLessThanOrEqual(90)
    expect(at(0.9)).toBeLessThanOrEqual(200)
  })

  it('names files in kebab-case, for what they hold', () => {
    const names = files.map(({ name }) => path.posix.basename(name).replace(/\.tsx?$/, ''))
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([])
    expect(names.filter((name) => FORBIDDEN_NAMES.test(name))).toEqual([])
  })

  it('has no default exports', () => {
    expect(files.filter(({ text }) => /^export default /m.test(text)).map(({ name }) => name)).toEqual([])
  })

  it('writes no path of the API twice: they come from the endpoint table', () => {
    const paths = [...readContract().matchAll(/path: '(\/[^']+)'/g)].map(([, route = '']) => route)
    const literal = paths.filter((route) => route.split('/').length > 2)
    const again = files
      .filter(({ room }) => room !== 'contract')
      .flatMap(({ name, text }) =>
        literal.filter((route) => text.includes(`'${route}'`)).map((route) => `${name}: ${route}`),
      )
    expect(paths.length).toBeGreaterThan(10)
    expect(again).toEqual([])
  })

  it('keeps the framework out of everything but the HTTP rooms', () => {
    const outside = files.filter(
      ({ room, text }) =>
        !['http', 'server', 'ws'].includes(room) && /^import (?!type )[^\n]*'(hono|@hono)/m.test(text),
    )
    expect(outside.map(({ name }) => name)).toEqual([])
  })
})

function readContract(): string {
  return files
    .filter(({ room }) => room === 'contract')
    .map(({ text }) => text)
    .join('\n')
}
