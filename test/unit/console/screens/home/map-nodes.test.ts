import { describe, expect, it } from 'vitest'
import type { Figures } from '../../../../../src/console/screens/home/map-figures.ts'
import { layOut } from '../../../../../src/console/screens/home/map-layout.ts'
import { declaredEdges, mapColumns } from '../../../../../src/console/screens/home/map-nodes.ts'
import type { MapData } from '../../../../../src/console/screens/home/map-nodes.ts'

const numbers = Array.from({ length: 100 }, (_, number) => number)
const workflow = (id: string, calls: object = {}) => ({ id, name: id, ...calls })
const data = {
  workflows: [
    ...numbers.map((number) => workflow(`w${number}`)),
    workflow('caller', { workflows: ['child'], agents: ['a1'] }),
    workflow('child'),
  ],
  agents: ['a0', 'a1'].map((id) => ({ id, name: id })),
  tools: [],
  servers: [],
} as unknown as MapData
const busy: Figures = { recent: 5, running: 0, run: undefined, p50Ms: 1, failed: 0, costUsd: 0 }
const columns = mapColumns(data, declaredEdges(data), new Map([['workflow:w99', busy]]))
const column = (name: string) => columns.find((one) => one.name === name)
const names = (name: string) => column(name)?.nodes.map((node) => node.name)

describe('the columns of the live map', () => {
  it('have 60 nodes, the most connected and the most active first, and count the others', () => {
    expect(names('Workflows')?.slice(0, 3)).toEqual(['caller', 'w99', 'w0'])
    expect(columns.flatMap(({ nodes }) => nodes)).toHaveLength(60)
    expect(columns.reduce((sum, { hidden }) => sum + hidden, 0)).toBe(data.workflows.length + 2 - 60)
  })

  it('have workflows that others run in a column of their own, and agents beside their callers', () => {
    expect(names('Child workflows')).toEqual(['child'])
    expect(names('Agents')?.[0]).toBe('a1')
  })
})

describe('the lines of the live map', () => {
  const { line } = layOut(columns, 1000)

  it('leave out what is not shown', () => {
    expect(line('workflow:caller', 'workflow:child')).toMatch(/^M/)
    expect(line('workflow:caller', 'agent:unknown')).toBeUndefined()
  })

  it('pass below the nodes of the columns between', () => {
    // the middle of the first row is at 47 px, and its lower edge at 70
    expect(line('workflow:caller', 'agent:a1')).toMatch(/L\S+ 74C/)
  })
})
