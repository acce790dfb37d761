import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { REPOSITORY } from '../bench/project.ts'

const CONFIG = `import { defineConfig } from 'agentserver'
import { clerk } from './src/agents/clerk.ts'
import { support } from './src/agents/support.ts'
import { estimate } from './src/workflows/estimate.ts'
import { importCatalogue, nightlyImport, weeklyImport } from './src/workflows/import-catalogue.ts'
import { followUp, invoice } from './src/workflows/invoice.ts'
import { order } from './src/workflows/order.ts'
import { shipOrder } from './src/workflows/ship-order.ts'

export default defineConfig({
  agents: [support, clerk],
  workflows: [order, shipOrder, invoice, followUp, importCatalogue, estimate],
  schedules: [nightlyImport, weeklyImport],
})
`

/** Writes a project with the code of two templates and the workflows of `demo/`, and returns its directory. */
export function writeDemoProject(): string {
  const root = fs.mkdtempSync(path.join(tmpdir(), 'shop-'))
  const copy = (from: string, to: string) => {
    fs.cpSync(from, path.join(root, to), { recursive: true })
  }
  for (const template of ['basic', 'agent']) copy(path.join(REPOSITORY, 'templates', template, 'src'), 'src')
  copy(path.join(REPOSITORY, 'templates/basic/package.json'), 'package.json')
  copy(path.join(import.meta.dirname, 'demo'), 'src')
  fs.writeFileSync(path.join(root, 'agentserver.config.ts'), CONFIG)
  fs.symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(root, 'node_modules'))
  return root
}
