import { didYouMean, misspelledWords } from './did-you-mean.ts'
import { formatPath } from './json/json-value.ts'

/** The problem text for an option that does not exist. `path` ends with its name; `known` are its valid siblings. */
export function unknownOption(path: readonly (string | number)[], known: readonly string[]): string {
  const name = formatPath('', path)
  const similar = didYouMean(String(path.at(-1)), known)
  return similar === undefined
    ? `unknown option "${name}"`
    : `unknown option "${name}". Did you mean "${formatPath('', [...path.slice(0, -1), similar])}"?`
}

/** The problem texts for the options of an object that do not exist. `known` has a member for each that does. */
export function unknownOptions(options: object, known: Readonly<Record<string, true>>): string[] {
  const names = Object.keys(known)
  return unknownNames(options, known).map((name) => unknownOption([name], names))
}

/**
 * The same, only for names that are one of `known` with a typing error, and where that one is missing: an object that is
 * spread may have others.
 */
export function misspelledOptions(options: object, known: Readonly<Record<string, true>>): string[] {
  const names = Object.keys(known)
  return unknownNames(options, known)
    .filter((name) => {
      const meant = misspelledWords(name, names)
      return meant.length > 0 && meant.every((one) => !Object.hasOwn(options, one))
    })
    .map((name) => unknownOption([name], names))
}

function unknownNames(options: object, known: Readonly<Record<string, true>>): string[] {
  return Object.entries(options)
    .filter(([name, value]) => value !== undefined && !Object.hasOwn(known, name))
    .map(([name]) => name)
}
