import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { confirm, isCancel, password, select, text } from '@clack/prompts'
import { AppError } from '../../lib/errors.ts'
import { PACKAGE_MANAGERS } from '../../lib/packages/package-manager.ts'
import type { PackageManagerName } from '../../lib/packages/package-manager.ts'
import { EXIT } from '../exit-code.ts'
import { Interrupted } from '../lifetime.ts'
import type { Terminal } from '../print/terminal.ts'
import { readModelKey } from './model-key.ts'
import { DEFAULT_TEMPLATE, templateDescription, templateNames } from './template.ts'

/** What a terminal is asked before a project is created. Loaded only then. */
export class Questions {
  /** Questions are no result: they go to stderr. */
  readonly #streams: { readonly input: Readable; readonly output: Writable }

  constructor({ stdin, stderr }: Terminal) {
    this.#streams = { input: stdin as Readable, output: stderr as Writable }
  }

  /** `check` throws an AppError for a directory that can't become a project. */
  async directory(initialValue: string, check: (directory: string) => void): Promise<string> {
    const typed = await text({
      message: 'Name of the project, or its directory',
      placeholder: initialValue,
      defaultValue: initialValue,
      validate: (value) => messageOfRefusal(() => check(path.resolve(value?.trim() || initialValue))),
      ...this.#streams,
    })
    return answered(typed).trim()
  }

  async template(): Promise<string> {
    const chosen = await select({
      message: 'Template',
      options: templateNames().map((name) => ({ value: name, hint: templateDescription(name) })),
      initialValue: DEFAULT_TEMPLATE,
      ...this.#streams,
    })
    return answered(chosen)
  }

  async packageManager(initialValue: PackageManagerName): Promise<PackageManagerName> {
    const chosen = await select({
      message: 'Package manager',
      options: PACKAGE_MANAGERS.map((value) => ({ value })),
      initialValue,
      ...this.#streams,
    })
    return answered(chosen)
  }

  /** Empty if the project is to begin with the demo model. */
  async modelKey(): Promise<string> {
    const typed = await password({
      message: 'Key of OpenAI, Anthropic or Google, for .env (Enter: none, the demo model answers)',
      validate: (value = '') => messageOfRefusal(() => value.trim() !== '' && readModelKey(value)),
      ...this.#streams,
    })
    // nothing was typed
    return (answered(typed) as string | undefined)?.trim() ?? ''
  }

  async git(): Promise<boolean> {
    return answered(await confirm({ message: 'Create a Git repository?', ...this.#streams }))
  }

  async overwrite(names: readonly string[]): Promise<boolean> {
    const message = `Overwrite ${names.join(', ')}?`
    return answered(await confirm({ message, initialValue: false, ...this.#streams }))
  }
}

/** The answer to a question. Ctrl-C and Escape end the command. */
function answered<T>(value: T): Exclude<T, symbol> {
  if (isCancel(value)) throw new Interrupted(EXIT.interrupted)
  return value as Exclude<T, symbol>
}

function messageOfRefusal(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
