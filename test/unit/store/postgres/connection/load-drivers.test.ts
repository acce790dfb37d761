import { afterAll, expect, it } from 'vitest'
import { loadDrivers } from '../../../../../src/store/postgres/connection/load-drivers.ts'
import { TempProject } from '../../../../support/project/temp-project.ts'

const projects: TempProject[] = []
afterAll(() => {
  for (const project of projects) project.remove()
})

/** A project that uses pnpm, with packages of these versions. */
function projectWith(versions: Readonly<Record<string, string>>): string {
  const project = new TempProject({ 'package.json': '{}', 'pnpm-lock.yaml': '' })
  projects.push(project)
  for (const [name, version] of Object.entries(versions))
    project.write({
      [`node_modules/${name}/package.json`]: JSON.stringify({ name, version, main: 'index.js' }),
      [`node_modules/${name}/index.js`]: `exports.PgBoss = exports.Client = '${version}'`,
    })
  return project.root
}

const node = '24.0.0'

it('on a Node that pg-boss does not support, the error names both versions', async () => {
  await expect(loadDrivers(projectWith({}), { node: '20.19.1' })).rejects.toThrow(
    expect.objectContaining({
      code: 'invalid_config',
      message: 'Node 20.19.1 does not support a Postgres database: it needs Node 22.12',
    }),
  )
})

it('pg of the project is used, unless its version is not supported, and pg-boss never', async () => {
  const drivers = await loadDrivers(projectWith({ pg: '8.99.0', 'pg-boss': '11.0.0' }), { node })
  expect(drivers).toMatchObject({ pg: { Client: '8.99.0' }, pgBoss: { PgBoss: expect.any(Function) } })
  const { pg } = await loadDrivers(projectWith({ pg: '7.0.0' }), { node })
  expect(pg.Client).toBeTypeOf('function')
})

it.each([
  [{}, 'The package "pg", which a Postgres database needs, is not installed'],
  [{ pg: '7.0.0' }, 'The package "pg", which a Postgres database needs, is 7.0.0'],
] as const)('a missing package is named with the command that installs it', async (versions, message) => {
  const root = projectWith(versions)
  await expect(loadDrivers(root, { node, besides: `${root}/elsewhere.js` })).rejects.toThrow(
    expect.objectContaining({
      code: 'invalid_config',
      message: expect.stringContaining(message),
      hint: 'Run pnpm add pg',
    }),
  )
})
