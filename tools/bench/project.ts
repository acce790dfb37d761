import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export const REPOSITORY = path.join(import.meta.dirname, '../..')

/** A project in its own folder, with the packages of this repository, or of another checkout. */
export function makeProject(files: Readonly<Record<string, string>>, repository = REPOSITORY): string {
  const root = mkdtempSync(path.join(tmpdir(), 'agentserver-bench-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
  writeFileSync(path.join(root, 'package.json'), '{"type":"module"}')
  symlinkSync(path.join(repository, 'node_modules'), path.join(root, 'node_modules'))
  return root
}

export function removeProject(root: string): void {
  rmSync(root, { recursive: true, force: true })
}

/** A workflow of three empty steps, the one that the compared products were measured with. */
export const TRIVIAL = {
  'agentserver.config.ts': `
import { createWorkflow, defineConfig } from 'agentserver'

const trivial = createWorkflow({ id: 'trivial', name: 'Trivial' })
  .andThen({ id: 'one', execute: async ({ data }) => data })
  .andThen({ id: 'two', execute: async ({ data }) => data })
  .andThen({ id: 'three', execute: async ({ data }) => data })

export default defineConfig({ workflows: [trivial] })
`,
}
