import { Command } from 'commander'
import type { Argument, Option } from 'commander'
import { createProgram } from '../../../src/cli/command-line.ts'
import { COMMANDS } from '../../../src/cli/command-table.ts'
import type { Blocks } from './generated-blocks.ts'
import { code, sentence, table } from './markdown.ts'

/** The generated parts of docs/reference/cli.md. */
export async function commandBlocks(): Promise<Blocks> {
  const commands = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { summary, alias, load }]) => {
      const command = new Command(name)
      const loaded = await load()
      loaded.define(command)
      return { name, summary: alias === undefined ? summary : `${summary} (alias: ${code(alias)})`, command }
    }),
  )
  return {
    overview: table(
      ['Command', 'Summary'],
      commands.map(({ name, summary }) => [`[\`${name}\`](#${name})`, sentence(summary)]),
    ),
    'common-options': optionTable(createProgram().options),
    commands: commands
      .map(({ name, summary, command }) =>
        [`### ${name}`, `${sentence(summary)}.`, usage(command)].join('\n\n'),
      )
      .join('\n\n'),
  }
}

function usage(command: Command): string {
  const { registeredArguments, options } = command
  const places = registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  )
  return [
    `\`\`\`text\n${['agentserver', command.name(), ...places, '[options]'].join(' ')}\n\`\`\``,
    ...(registeredArguments.length > 0 ? [argumentTable(registeredArguments)] : []),
    ...(options.length > 0 ? [optionTable(options)] : ['It has only the common options.']),
    ...examplesOf(command),
  ].join('\n\n')
}

function argumentTable(list: readonly Argument[]): string {
  return table(
    ['Argument', 'Default', 'Description'],
    list.map((argument) => {
      const { text, otherwise } = described(argument)
      return [code(argument.name()), otherwise, withChoices(text, argument.argChoices)]
    }),
  )
}

function optionTable(list: readonly Option[]): string {
  return table(
    ['Option', 'Default', 'Description'],
    list.map((option) => {
      const { text, otherwise } = described(option.negate ? { description: option.description } : option)
      return [code(option.flags), otherwise, withChoices(text, option.argChoices)]
    }),
  )
}

interface Described {
  readonly description: string
  readonly defaultValue?: unknown
}

/** The description, and the default: declared, or in parentheses at the end of the description. */
function described({ description, defaultValue }: Described): { text: string; otherwise: string } {
  const [, text = description, written] = /^(.*) \(default:? ([^()]*)\)$/.exec(description) ?? []
  const declared = typeof defaultValue === 'string' ? code(defaultValue) : undefined
  return { text, otherwise: declared ?? written ?? '–' }
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  const text = sentence(description)
  return choices ? `${text}: ${choices.map((choice) => code(choice)).join(', ')}` : text
}

/** The examples at the end of the command's help. */
function examplesOf(command: Command): string[] {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  const lines = [...help.matchAll(/^ {2}\$ (.+)$/gm)].map(([, line = '']) => line)
  return lines.length === 0 ? [] : [`\`\`\`sh\n${lines.join('\n')}\n\`\`\``]
}
