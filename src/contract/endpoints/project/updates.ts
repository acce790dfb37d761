import { z } from 'zod'
import { endpoints } from '../../endpoint.ts'
import { Instant } from '../../fields.ts'

/** An npm package name, with its optional scope. No flag, path or URL that a package manager might accept matches. */
const PACKAGE_NAME = /^(?:@[A-Za-z0-9~][\w.~-]*\/)?[A-Za-z0-9~][\w.~-]*$/
const MAX_LENGTH = 214

const RULE = 'Must be the name of an npm package'

const PackageName = z.string().max(MAX_LENGTH, RULE).regex(PACKAGE_NAME, RULE)

/** Whether a text is the name of an npm package. */
export function isPackageName(text: string): boolean {
  return text.length <= MAX_LENGTH && PACKAGE_NAME.test(text)
}

export const PackageUpdate = z
  .object({
    name: z.string(),
    installed: z.string().describe('Installed version'),
    wanted: z.string().describe('Newest version that package.json allows'),
    latest: z.string().describe('Version of the dist-tag latest'),
    type: z.enum(['major', 'minor', 'patch']).describe('Kind of the update to the latest version'),
  })
  .meta({ id: 'PackageUpdate' })
export type PackageUpdate = z.infer<typeof PackageUpdate>

export const UpdateList = z
  .object({
    hasUpdates: z.boolean(),
    count: z.int().describe('Number of updates'),
    packageManager: z.enum(['npm', 'pnpm', 'yarn', 'bun']),
    updates: z.array(PackageUpdate),
    checkedAt: Instant.describe('Time of the check'),
  })
  .meta({ id: 'UpdateList' })
export type UpdateList = z.infer<typeof UpdateList>

export const InstalledUpdates = z
  .object({
    updated: z.array(z.object({ name: z.string(), from: z.string(), to: z.string() })),
    restartRequired: z
      .boolean()
      .describe('Whether anything was installed: the server keeps running the versions it has loaded'),
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
    summary: "Checks for newer versions of the packages in the project's package.json",
    reply: { kind: 'data', schema: UpdateList },
    errors: [409],
  },
  installUpdates: {
    ...install,
    path: '/updates',
    summary: 'Installs the latest version of all packages, or of one',
    body: z.object({ packageName: PackageName.optional().describe('Package to update; default: all') }),
    bodyOptional: true,
    errors: [404, 409, 413, 415],
  },
  installUpdate: {
    ...install,
    path: '/updates/:packageName',
    summary: 'Installs the latest version of a package',
    params: z.object({
      packageName: PackageName.describe('Package name; the slash of a scope is percent-encoded'),
    }),
    errors: [404, 409],
  },
  installScopedUpdate: {
    ...install,
    path: '/updates/:scope/:packageName',
    summary: 'Installs the latest version of a scoped package',
    params: z.object({
      scope: z
        .string()
        .regex(/^@?[A-Za-z0-9~][\w.~-]*$/, 'Must be a scope, such as @types')
        .describe('Scope, such as @types'),
      packageName: z
        .string()
        .regex(/^[A-Za-z0-9~][\w.~-]*$/, RULE)
        .describe('Package name without its scope'),
    }),
    errors: [404, 409],
  },
})
