import { AppError } from '../../lib/errors.ts'

/** The option for executions with a member in their metadata; given several times, with all of them. */
export const METADATA_FILTER = [
  '--metadata <name=value>',
  'executions with this metadata, such as plan=pro; can be repeated',
] as const

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** The members that were given; `undefined` for none. */
export function readMetadata(options: Readonly<Record<string, unknown>>): Record<string, string> | undefined {
  const given = options['metadata'] as readonly string[] | undefined
  return given && Object.fromEntries(given.map((text) => memberOf(text)))
}

/** The same as filters of the API, such as `metadata.plan`. */
export function readMetadataFilter(options: Readonly<Record<string, unknown>>): Record<string, string> {
  const members = Object.entries(readMetadata(options) ?? {})
  return Object.fromEntries(members.map(([name, value]) => [`metadata.${name}`, value]))
}

function memberOf(text: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new AppError('invalid_input', `--metadata must be name=value: ${text}`)
}
