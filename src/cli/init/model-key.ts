import { PROVIDERS } from '../../agent/models/model-provider.ts'
import { AppError } from '../../lib/errors.ts'

/** The key of a provider of models, for `.env`. */
export interface ModelKey {
  /** Such as `OPENAI_API_KEY`. */
  readonly variable: string
  readonly value: string
  /** The package that the provider needs. */
  readonly package: string | undefined
}

/** How the keys of the providers begin; the longer one of OpenAI and Anthropic first. */
const PREFIXES = [
  ['sk-ant-', PROVIDERS.anthropic],
  ['sk-', PROVIDERS.openai],
  ['AIza', PROVIDERS.google],
] as const

/**
 * Reads a key, whose provider is known by how it begins, or `NAME=key`.
 *
 * @throws AppError `invalid_input` for another provider, or for what can't be a key. Its message does not contain it.
 */
export function readModelKey(text: string): ModelKey {
  const [, name, value = text.trim()] = /^\s*([A-Z][A-Z_]+)=(.*?)\s*$/.exec(text) ?? []
  const provider =
    name === undefined
      ? PREFIXES.find(([prefix]) => value.startsWith(prefix))?.[1]
      : PREFIXES.map(([, one]) => one).find(({ variable }) => variable === name)
  const variables = PREFIXES.map(([, { variable }]) => variable).join(', ')
  if (!provider)
    throw new AppError('invalid_input', 'The model key is of no known provider', {
      hint: `Pass it with its name, which is one of ${variables}: --model-key NAME=key`,
    })
  // nothing that has a meaning in .env
  if (!/^[\w.:/+=-]+$/.test(value)) throw new AppError('invalid_input', 'The model key is not valid')
  return { variable: provider.variable, value, package: provider.package }
}
