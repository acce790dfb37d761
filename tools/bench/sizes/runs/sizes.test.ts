import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeProject, removeProject } from '../../project.ts'
import { FIGURES } from '../figures.ts'
import { sizes } from '../sizes.ts'

const UP_TO = 100
/** It starts a dozen servers. */
const TIMEOUT_MS = 600_000
const folder = makeProject({})
afterAll(() => removeProject(folder))

/** The rows of the report at this size, without those of `FIGURES`. */
const SINGLE = [
  'execution of 10 calls: run',
  'execution of 10 calls: first page of 100 steps',
  'execution of 10 calls: last page',
  'execution of 10 calls: whole record',
  'execution of 10 calls: longest block of the loop by it',
  'execution of 100 events: run',
  'execution of 100 events: first page of 100 steps',
  'execution of 100 events: whole record',
  'execution of 100 events: all events as a stream',
  'result of 0.01 MB: bytes in the database, over its own',
  'result of 0.01 MB: bytes of GET, over its own',
  'result of 0.01 MB: GET',
  '20 executions that run at once: until all run',
  '20 executions that run at once: resident memory',
  '20 executions that run at once: GET /workflows meanwhile, p95',
  '20 executions that run at once: all completed after the end of their steps',
]

it(
  'sizes measures every figure at a small size, and draws the curves',
  async () => {
    const curves = path.join(folder, 'sizes.svg')
    const found = await sizes({ upTo: UP_TO, curves })
    const atSize = Object.values(FIGURES).map(({ of, title }) => `${UP_TO} ${of}: ${title}`)
    expect(found.map(({ name }) => name).toSorted()).toEqual([...SINGLE, ...atSize].toSorted())
    expect(found.filter(({ measured }) => !(Number.isFinite(measured) && measured >= 0))).toEqual([])
    const of = (text: string) => found.find(({ name }) => name.includes(text))?.measured
    expect(of('bytes of GET')).toBeGreaterThan(1)
    expect(of('bytes of one')).toBeGreaterThan(1)
    expect(of('executions: resident memory')).toBeGreaterThan(30)
    const svg = readFileSync(curves, 'utf8')
    for (const { of, title, unit } of Object.values(FIGURES))
      expect(svg).toContain(`${of}: ${title} (${unit})`)
  },
  TIMEOUT_MS,
)
