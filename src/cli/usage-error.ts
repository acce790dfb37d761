import { similarWords } from '../lib/did-you-mean.ts'

/** The names that are valid where a usage error occurred. */
export interface ValidNames {
  readonly commands: readonly string[]
  /** Flags such as `--input`. */
  readonly flags: readonly string[]
}

/**
 * Rewrites a message of commander in the form of all other errors, with the closest valid names:
 * `unknown option "--inptu". Did you mean "--input"?`
 */
export function usageMessage(text: string, names: ValidNames): string {
  const message = text
    .replace(/^error: /, '')
    .replaceAll(/'([^']*)'/g, '"$1"')
    .replace(/^command-argument value /, '')
  const [, kind, name = ''] = /^unknown (command|option) "([^"=]*)/.exec(message) ?? []
  if (kind !== undefined) return message + suggestion(name, kind === 'command' ? names.commands : names.flags)
  const [, value, choices] = /"([^"]*)" is invalid.* Allowed choices are (.*)\.$/.exec(message) ?? []
  if (value === undefined || choices === undefined) return message
  return message + suggestion(value, choices.split(', '), ' ')
}

/** A sentence such as `. Did you mean "dev"?`. Empty without similar names. */
function suggestion(name: string, valid: readonly string[], before = '. '): string {
  const similar = similarWords(name, valid).map((word) => `"${word}"`)
  if (similar.length === 0) return ''
  return `${before}Did you mean ${similar.length === 1 ? '' : 'one of '}${similar.join(', ')}?`
}
