import { expect, onTestFinished, test } from 'vitest'
import { andThen, createWorkflow } from '../../../src/index.ts'
import { acceptConfig } from '../../../src/config/accept-config.ts'
import { loadOnce } from '../../../src/config/live/load-once.ts'
import { Registry } from '../../../src/engine/registry.ts'
import { OWN_MODULES } from '../../../src/server/project/own-modules.ts'
import { releaseOf } from '../../../src/server/current-generation.ts'
import { VERSION } from '../../../src/lib/packages/own-package.ts'
import { findProject } from '../../../src/config/project.ts'
import { TempProject } from '../../support/project/temp-project.ts'

const FILES = {
  'agentserver.config.ts': `import { order } from './order.ts'\nexport default { workflows: [order] }`,
  'order.ts': `import { createWorkflow } from 'agentserver'
import { total } from './total.ts'
export const order = createWorkflow({ id: 'order' }).andThen({ id: 'sum', execute: () => total })`,
  'total.ts': 'export const total = 1',
}

async function releaseOfProject(files: Record<string, string>): Promise<string> {
  const project = new TempProject(files)
  onTestFinished(() => project.remove())
  const found = findProject({ cwd: project.root })
  const loaded = await loadOnce({
    project: found,
    mode: 'test',
    alias: OWN_MODULES,
    accept: (namespace) => acceptConfig(namespace, found),
  })
  const { value, contentHash } = loaded.generation
  const release = releaseOf(new Registry(value.config.workflows), contentHash)()
  await loaded.close()
  return release
}

test('a release is the same on all machines with the same files, and another one after any change', async () => {
  const release = await releaseOfProject(FILES)
  expect(release).toMatch(/^\d+\.\d+\.\d+\S*\+[0-9a-f]{12}$/)
  expect(release.startsWith(`${VERSION}+`)).toBe(true)
  expect(await releaseOfProject(FILES)).toBe(release)
  expect(await releaseOfProject({ ...FILES, 'unused.ts': 'export {}', 'README.md': '# Shop' })).toBe(release)
  expect(await releaseOfProject({ ...FILES, 'total.ts': 'export const total = 2' })).not.toBe(release)
})

test('a release of a configuration that a program made depends on its steps', () => {
  const withStep = (id: string) => {
    const order = createWorkflow({ id: 'order' }, andThen({ id, execute: () => 1 }))
    return releaseOf(new Registry([order]), undefined)()
  }
  expect(withStep('pay')).toBe(withStep('pay'))
  expect(withStep('pay')).not.toBe(withStep('ship'))
})
