import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

const TYPES = fileURLToPath(new URL('../../dist/index.d.ts', import.meta.url))
const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

/** A likely mistake in a config file. */
interface Mistake {
  readonly name: string
  /**
   * The file. The errors are on the line that ends with `// <-`; `// <- types` is that of the compiler alone, and
   * `// <- command` that of the command line.
   */
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
const clerk = createAgent({ // <- command
  id: 'clerk',
  name: 'Clerk',
  instruction: 'Answer questions', // <- types
})
export default defineConfig({ agents: [clerk] })`,
    types: "Did you mean to write 'instructions'?",
    command: 'agents[0] "clerk": unknown option "instruction". Did you mean "instructions"?',
  },
  {
    name: 'an option of a tool is misspelled',
    source: `
import { createTool, defineConfig } from 'agentserver'
const find = createTool({ // <- command
  name: 'find',
  description: 'Finds an order',
  inputShema: { type: 'object' }, // <- types
  execute: () => 1,
})
export default defineConfig({ tools: [find] })`,
    types: "Did you mean to write 'inputSchema'?",
    command: 'tools[0] "find": unknown option "inputShema". Did you mean "inputSchema"?',
  },
  {
    name: 'an option of a workflow is misspelled',
    source: `
import { andThen, createWorkflow, defineConfig } from 'agentserver'
const charge = andThen({ id: 'charge', execute: () => 1 })
const order = createWorkflow({ id: 'order', retires: 3 }, charge) // <-
export default defineConfig({ workflows: [order] })`,
    types: "Did you mean to write 'retries'?",
    command: 'workflow "order": unknown option "retires". Did you mean "retries"?',
  },
  {
    name: 'an option of a workflow that is a function is misspelled',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ // <- command
  id: 'order',
  timeOut: '3d', // <- types
  run: async ({ step }) => step.run('charge', () => 1),
})
export default defineConfig({ workflows: [order] })`,
    types: "Did you mean to write 'timeout'?",
    command: 'workflow "order": unknown option "timeOut". Did you mean "timeout"?',
  },
  {
    name: 'an option of a step is misspelled',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' })
  .andThen({ id: 'charge', timeoutMS: 500, execute: () => 1 }) // <-
export default defineConfig({ workflows: [order] })`,
    types: "Did you mean to write 'timeoutMs'?",
    command:
      'workflow "order": step "charge" (andThen): unknown option "timeoutMS". Did you mean "timeoutMs"?',
  },
  {
    name: 'an option of a schedule is misspelled',
    source: `
import { createSchedule, createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' }).andThen({ id: 'charge', execute: () => 1 })
const daily = createSchedule({ // <- command
  id: 'daily',
  cron: '0 8 * * *',
  timeZone: 'Europe/Berlin', // <- types
  workflow: order,
})
export default defineConfig({ workflows: [order], schedules: [daily] })`,
    types: "Did you mean to write 'timezone'?",
    command: 'schedules[0] "daily": unknown option "timeZone". Did you mean "timezone"?',
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
    name: 'a workflow is listed without the steps that were added to it',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' }) // <-
order.andThen({ id: 'charge', execute: () => 1 })
export default defineConfig({ workflows: [order] })`,
    command:
      'workflow "order": it has no steps: andThen() and its like return a new workflow, so export what they return',
  },
  {
    name: 'a step returns a promise that is not awaited',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const pay = async () => 1
const order = createWorkflow({ id: 'order' })
  .andThen({ id: 'charge', execute: () => ({ paid: pay() }) }) // <-
export default defineConfig({ workflows: [order] })`,
    types: 'A promise is not JSON: await it',
  },
  {
    name: 'a recorded call is not awaited before its result is read',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({
  id: 'order',
  run: async ({ step }) => {
    const charge = step.run('charge', () => ({ paid: 1 }))
    return { paid: charge.paid } // <-
  },
})
export default defineConfig({ workflows: [order] })`,
    types: "Did you forget to use 'await'?",
  },
  {
    name: 'a workflow that is a function returns a recorded call that is not awaited',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({
  id: 'order',
  run: async ({ step }) => { // <-
    const charge = step.run('charge', () => ({ paid: 1 }))
    return { charge }
  },
})
export default defineConfig({ workflows: [order] })`,
    types: 'A promise is not JSON: await it',
  },
  {
    name: 'the data of a resume is read without a schema',
    source: `
import { createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' }).andThen({
  id: 'approve',
  execute: ({ resumeData, suspend }) => {
    if (!resumeData) return suspend('Waits for approval')
    return { approved: resumeData.approved } // <-
  },
})
export default defineConfig({ workflows: [order] })`,
    types: "Property 'approved' does not exist on type 'ResumeDataWithoutResumeSchema'",
  },
  {
    name: 'a model is named without its provider',
    source: `
import { createAgent, defineConfig } from 'agentserver'
const clerk = createAgent({ // <- command
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Help',
  model: 'gpt-4o', // <- types
})
export default defineConfig({ agents: [clerk] })`,
    types: "is not assignable to type 'PerRequest<AgentModels>",
    command:
      'agents[0] "clerk": model "gpt-4o" must have the form "provider/model". Did you mean "openai/gpt-4o"?',
  },
  {
    name: 'two agents have one id',
    source: `
import { createAgent, defineConfig } from 'agentserver'
const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help' })
const helper = createAgent({ id: 'clerk', name: 'Helper', instructions: 'Help' }) // <-
export default defineConfig({ agents: [clerk, helper] })`,
    command: 'agent id "clerk" is used 2 times',
  },
  {
    name: 'the workflow of a schedule is not listed',
    source: `
import { createSchedule, createWorkflow, defineConfig } from 'agentserver'
const order = createWorkflow({ id: 'order' }).andThen({ id: 'charge', execute: () => 1 })
const daily = createSchedule({ id: 'daily', cron: '0 8 * * *', workflow: order }) // <-
export default defineConfig({ schedules: [daily] })`,
    command: 'schedules[0] "daily": add the workflow "order" to "workflows"',
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
    command: 'agents[0] "clerk": tool find: a description is required: models choose tools by it',
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
    command: 'agents[0]: must be made by createAgent(). It is a workflow, which belongs in workflows',
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

function markedLine(source: string, by: 'types' | 'command'): number {
  return source.split('\n').findIndex((line) => line.endsWith('// <-') || line.endsWith(`// <- ${by}`)) + 1
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
    const args = [COMPILER, '-p', '.', '--pretty', 'true']
    const { stdout } = await execa(process.execPath, args, { cwd: project.root, reject: false })
    diagnostics = stripVTControlCharacters(stdout).split(/\n(?=mistakes\/\w+\.ts:)/)
  }, 120_000)
  afterAll(() => project.end())

  const numbered = MISTAKES.map((mistake, index) => ({ ...mistake, index }))

  it.each(numbered.filter(({ types }) => types !== undefined))(
    'are an error of the compiler on their own line: $name',
    ({ index, source, types = '' }) => {
      const found = diagnostics.filter((text) => text.startsWith(`mistakes/m${index}.ts:`))
      expect(found).toEqual([expect.stringContaining(types)])
      expect(found[0]).toMatch(new RegExp(`^[^:]+:${markedLine(source, 'types')}:`))
    },
  )

  it.each(numbered.filter(({ command }) => command !== undefined))(
    'are an error of the command line on their own line: $name',
    async ({ source, command = '' }) => {
      project.write({ 'agentserver.config.ts': source })
      const { exitCode, stderr } = await project.run(['check'])
      expect(exitCode).not.toBe(0)
      expect(stderr).toContain(command)
      expect(stderr).toContain(`at agentserver.config.ts:${markedLine(source, 'command')}:`)
    },
  )

  it('are listed with their places when there are several, in whatever file they are', async () => {
    project.write({
      'tools/find.ts': `import { createTool } from 'agentserver'

export const find = createTool({ name: 'find', inputSchema: { type: 'object' }, execute: () => 1 })
`,
      'agentserver.config.ts': `import { createAgent, createWorkflow, defineConfig } from 'agentserver'
import { find } from './tools/find.ts'

const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Help', tools: [find] })
const order = createWorkflow({ id: 'order' }).andThen({ id: 'charge', execute: () => 1 }).andTap({ id: 'log' })
export default defineConfig({ agents: [clerk], workflows: [order] })
`,
    })
    const { stderr } = await project.run(['check'])
    expect(stderr).toContain(
      'workflow "order": step "log" (andTap): execute must be a function (agentserver.config.ts:5:91)\n',
    )
    expect(stderr).toContain('a description is required: models choose tools by it (tools/find.ts:3:21)\n')
    expect(stderr).toContain('\nat agentserver.config.ts:5:91\n')
    expect(stderr).toContain('> 5 | const order = createWorkflow')
  })
})
