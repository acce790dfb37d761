import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Instant } from '../fields.ts'

/** An npm package name, with its scope if it has one. Nothing that a package manager takes for anything else. */
export const PACKAGE_NAME = /^(?=.{1,214}$)(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i

const RULE = 'Must be the name of an npm package'

const PackageName = z.string().regex(PACKAGE_NAME, RULE).meta({ maxLength: 214 })

export const PackageUpdate = z
  .object({
    name: z.string(),
    installed: z.string(),
    wanted: z.string().describe('The newest version that package.json allows'),
    latest: z.string(),
    type: z.enum(['major', 'minor', 'patch']),
  })
  .meta({ id: 'PackageUpdate' })
export type PackageUpdate = z.infer<typeof PackageUpdate>

export const UpdateList = z
  .object({
    hasUpdates: z.boolean(),
    count: z.int(),
    packageManager: z.enum(['npm', 'pnpm', 'yarn', 'bun']),
    updates: z.array(PackageUpdate),
    checkedAt: Instant,
  })
  .meta({ id: 'UpdateList' })
export type UpdateList = z.infer<typeof UpdateList>

export const InstalledUpdates = z
  .object({
    updated: z.array(z.object({ name: z.string(), from: z.string(), to: z.string() })),
    restartRequired: z
      .boolean()
      .describe('Whether anything was installed: the server runs what it has loaded'),
  })
  .meta({ id: 'InstalledUpdates' })
export type InstalledUpdates = z.infer<typeof InstalledUpdates>

const install = {
  method: 'POST',
  group: 'updates',
  tag: 'Updates',
  reply: { kind: 'data', schema: InstalledUpdates },
} as const

export const updatesEndpoints = endpoints({
  getUpdates: {
    method: 'GET',
    path: '/updates',
    group: 'updates',
    tag: 'Updates',
    summary: "Newer versions of the packages in the project's package.json",
    reply: { kind: 'data', schema: UpdateList },
    errors: [],
  },
  installUpdates: {
    ...install,
    path: '/updates',
    summary: 'Install the latest version of all packages, or of one',
    body: z.object({ packageName: PackageName.optional().describe('Only this package') }),
    bodyOptional: true,
    errors: [404, 409, 413, 415],
  },
  installUpdate: {
    ...install,
    path: '/updates/:packageName',
    summary: 'Install the latest version of one package',
    params: z.object({
      packageName: PackageName.describe('Package name; a scope and its slash are encoded'),
    }),
    errors: [404, 409],
  },
  installScopedUpdate: {
    ...install,
    path: '/updates/:scope/:packageName',
    summary: 'Install the latest version of one package of a scope',
    params: z.object({
      scope: z
        .string()
        .regex(/^@?[a-z0-9~][\w.~-]*$/i, 'Must be a scope, as @types')
        .describe('As @types'),
      packageName: z
        .string()
        .regex(/^[a-z0-9~][\w.~-]*$/i, RULE)
        .describe('Package name without its scope'),
    }),
    errors: [404, 409],
  },
})
