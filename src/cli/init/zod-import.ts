import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import lessThan from 'semver/functions/lt.js'
import minVersion from 'semver/ranges/min-version.js'
import validRange from 'semver/ranges/valid.js'
import { AppError } from '../../lib/errors.ts'
import { dependencyRange } from './package-json.ts'
import type { Template } from './template.ts'

/** The oldest version that has `zod/v4`. */
const OLDEST = '3.25.0'

/**
 * A template with the import of zod that fits an existing project. Templates are written for zod 4; zod 3.25 has the
 * same functions in `zod/v4`.
 *
 * @throws AppError `invalid_input` if the installed zod has neither.
 */
export function withFittingZod(template: Template, directory: string, packageJson: string): Template {
  const range = dependencyRange(packageJson, 'zod')
  if (range === undefined) return template
  const installed = installedZod(directory)
  if (installed !== undefined && lessThan(installed, OLDEST)) {
    throw new AppError('invalid_input', `The project has zod ${installed}; templates require zod 3.25 or 4`, {
      hint: 'No files were written. Update zod first; zod 3.25.76 is compatible with earlier releases of zod 3.',
    })
  }
  // zod 4 has zod/v4 as well, so that it fits when the version is not known
  const version = installed ?? (validRange(range) === null ? undefined : minVersion(range)?.version)
  if (version !== undefined && !lessThan(version, '4.0.0')) return template
  const files = [...template.files].map(
    ([name, bytes]) => [name, name.endsWith('.ts') ? importingV4(bytes) : bytes] as const,
  )
  return { ...template, files: new Map(files) }
}

function importingV4(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(bytes)
  return new TextEncoder().encode(text.replaceAll(/ from 'zod'$/gm, " from 'zod/v4'"))
}

/** The version that the project's imports find. */
function installedZod(directory: string): string | undefined {
  try {
    const file = createRequire(path.join(directory, 'package.json')).resolve('zod/package.json')
    return (JSON.parse(fs.readFileSync(file, 'utf8')) as { readonly version: string }).version
  } catch {
    // not installed yet: the range decides
    return undefined
  }
}
