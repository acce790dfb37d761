import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

const TYPES = fileURLToPath(new URL('../../dist/index.d.ts', import.meta.url))
const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

/** A likely mistake in a config file. */
interface Mistake {
  readonly name: string
  /** The file; the mistake is on the line that ends with `// <-`. */
  readonly source: string
  /** The message of the compiler, where types can see the mistake. */
  readonly types?: string
  /** The message of the command line, where loading the file can see the mistake. */
  readonly command?: string
}

const MISTAKES: readonly Mistake[] = [
  {
    name: 'an option of an agent is misspelled',
    source: `
import { createAgent, defineConfig } from 'agentserver'
const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instruction: 'Answer questions', // <-
})
export default defineConfig({ agents: [clerk] })`,
    types: "Did you mean to write 'instructions'?",
  },
  {
    name: 'an option of the configuration is misspelled',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' }).andThen({ id: 'charge', execute: () => 1 })
export default defineConfig({
  workflow: [order], // <-
})`,
    types: "Did you mean to write 'workflows'?",
    command: 'unknown option "workflow". Did you mean "workflows"?',
  },
  {
    name: 'a step has no function',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' })
  .andThen({ id: 'charge' }) // <-
export default defineConfig({ workflows: [order] })`,
    types: "Property 'execute' is missing",
    command: 'workflow "order": step "charge" (andThen): execute must be a function',
  },
  {
    name: 'two steps have one id',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' })
  .andThen({ id: 'charge', execute: () => 1 })
  .andThen({ id: 'charge', execute: () => 2 }) // <-
export default defineConfig({ workflows: [order] })`,
    command: 'workflow "order": step id "charge" is used 2 times (charge, charge)',
  },
  {
    name: 'a step reads what the step before does not return',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' })
  .andThen({ id: 'charge', execute: () => ({ paid: 1 }) })
  .andThen({ id: 'send', execute: ({ data }) => data.paidd }) // <-
export default defineConfig({ workflows: [order] })`,
    types: "Property 'paidd' does not exist on type '{ paid: number; }'. Did you mean 'paid'?",
  },
  {
    name: 'a step returns a date',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' })
  .andThen({ id: 'charge', execute: () => ({ at: new Date() }) }) // <-
export default defineConfig({ workflows: [order] })`,
    types: 'A Date is not JSON: use date.toISOString()',
  },
  {
    name: 'a tool has no description',
    source: `
import { createAgent, createTool, defineConfig } from 'agentserver'
import { z } from 'zod'
const find = createTool({ // <-
  name: 'find',
  inputSchema: z.object({ id: z.string() }),
  execute: ({ id }) => id,
})
const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help', tools: [find] })
export default defineConfig({ agents: [clerk] })`,
    types: "Property 'description' is missing",
  },
  {
    name: 'a workflow is listed among the agents',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' }).andThen({ id: 'charge', execute: () => 1 })
export default defineConfig({
  agents: [order], // <-
})`,
    types: "from type 'Agent'",
    command: 'agents[0]: must be made by createAgent()',
  },
  {
    name: 'a schedule is a plain object',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' }).andThen({ id: 'charge', execute: () => 1 })
export default defineConfig({
  workflows: [order],
  schedules: [{ id: 'daily', workflow: 'order', cron: '0 8 * * *' }], // <-
})`,
    types: "Type 'string' is not assignable to type 'WorkflowDefinition'",
    command: 'schedules[0]: must be made by createSchedule()',
  },
  {
    name: 'a file that does not exist is imported',
    source: `
import { defineConfig } from 'agentserver'
import { order } from './workflow/order.ts' // <-
export default defineConfig({ workflows: [order] })`,
    types: "Cannot find module './workflow/order.ts'",
    command: "Cannot find module './workflow/order.ts' imported from agentserver.config.ts",
  },
  {
    name: 'an imported name is misspelled',
    source: `
import { createWorkflow, defineConfg } from 'agentserver' // <-
const order = createWorkflow({ id: 'order' }).andThen({ id: 'charge', execute: () => 1 })
export default defineConfg({ workflows: [order] })`,
    types: "Did you mean 'defineConfig'?",
    command: 'Did you mean "defineConfig"?',
  },
]

function markedLine(source: string): number {
  return source.split('\n').findIndex((line) => line.endsWith('// <-')) + 1
}

describe('the most likely mistakes in a config file', () => {
  const compiled = MISTAKES.map(({ source }, index) => [`mistakes/m${index}.ts`, source] as const)
  const tsconfig = {
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      noEmit: true,
      paths: { agentserver: [TYPES] },
    },
    include: ['mistakes'],
  }
  const project = new CliProject({
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify(tsconfig),
    ...Object.fromEntries(compiled),
  })
  let diagnostics: string[] = []
  beforeAll(async () => {
    const args = [COMPILER, '-p', '.', '--pretty', 'false']
    const { stdout } = await execa(process.execPath, args, { cwd: project.root, reject: false })
    // what is indented belongs to the diagnostic above
    diagnostics = stdout.split(/\n(?! )/)
  }, 120_000)
  afterAll(() => project.end())

  const numbered = MISTAKES.map((mistake, index) => ({ ...mistake, index }))

  it.each(numbered.filter(({ types }) => types !== undefined))(
    'are an error of the compiler on their own line: $name',
    ({ index, source, types = '' }) => {
      const found = diagnostics.filter((text) => text.startsWith(`mistakes/m${index}.ts(`))
      expect(found).toEqual([expect.stringContaining(types)])
      expect(found[0]).toMatch(new RegExp(String.raw`^[^(]+\(${markedLine(source)},`))
    },
  )

  it.each(numbered.filter(({ command }) => command !== undefined))(
    'are an error of the command line on their own line: $name',
    async ({ source, command = '' }) => {
      project.write({ 'agentserver.config.ts': source })
      const { exitCode, stderr } = await project.run(['check'])
      expect(exitCode).not.toBe(0)
      expect(stderr).toContain(command)
      expect(stderr).toContain(`at agentserver.config.ts:${markedLine(source)}:`)
    },
  )
})
