import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeProject } from './project.ts'

const GROUPS = 6
const LEAVES = 9

const leaf = (name: string) => `
import { tool } from 'ai'
import { z } from 'zod'

export interface Order { readonly id: string; readonly amount: number }

const Input = z.object({ id: z.string(), amount: z.number().positive(), note: z.string().optional() })

export const ${name}Tool = tool({
  description: 'Looks up ${name}',
  inputSchema: Input,
  execute: async ({ id, amount }) => ({ id, amount, total: total([{ id, amount }]) }),
})

export function total(orders: readonly Order[]): number {
  return orders.reduce((sum, { amount }) => sum + amount, 0)
}
`

const group = (names: readonly string[], number: number) => `
${names.map((name) => `import { ${name}Tool } from './${name}.ts'`).join('\n')}
${number === 0 ? `export { value } from './value.ts'` : ''}

export const group${number} = [${names.map((name) => `${name}Tool`).join(', ')}]
`

const CONFIG = `
import { createWorkflow, defineConfig } from 'agentserver'
import { z } from 'zod'
${Array.from({ length: GROUPS }, (_, number) => `import { group${number} } from './src/group${number}/index.ts'`).join('\n')}
import { value } from './src/group0/index.ts'

const count = createWorkflow({ id: 'count', inputSchema: z.object({ n: z.number() }) })
  .andThen({ id: 'wait', execute: ({ data, signal }) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(data), 600_000)
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve(data)))
    }) })

export const tools = [${Array.from({ length: GROUPS }, (_, number) => `...group${number}`).join(', ')}]

export default defineConfig({
  workflows: [count],
  configureApp: (app) => {
    app.get('/value', (c) => c.text(String(value)))
  },
})
`

/** A project with the configuration and sixty modules that import zod and ai. */
export function makeEditedProject(): string {
  const files: Record<string, string> = { 'agentserver.config.ts': CONFIG }
  for (let number = 0; number < GROUPS; number++) {
    const names = Array.from(
      { length: number === 0 ? LEAVES - 1 : LEAVES },
      (_, index) => `leaf${number}x${index}`,
    )
    files[`src/group${number}/index.ts`] = group(names, number)
    for (const name of names) files[`src/group${number}/${name}.ts`] = leaf(name)
  }
  files['src/group0/value.ts'] = valueModule(0)
  return makeProject(files)
}

/** Changes the module whose value is served at `/value`. The module, its group and the configuration run again. */
export function saveValue(root: string, value: number): void {
  writeFileSync(path.join(root, 'src/group0/value.ts'), valueModule(value))
}

function valueModule(value: number): string {
  return `import { z } from 'zod'\n\nexport const value: number = z.number().parse(${value})\n`
}
