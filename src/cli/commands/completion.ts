import { Argument, Command } from 'commander'
import type { CliCommand, CommandEntry } from '../command.ts'
import { examples } from '../command.ts'
import { EXIT } from '../exit-code.ts'

/** A command as a shell completes it. */
interface Completed {
  readonly name: string
  readonly summary: string
  readonly flags: readonly string[]
}

const SHELLS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = { bash, zsh, fish }

/** The command that completes the commands of a table, of which it is one. */
export function completionOf(table: Readonly<Record<string, CommandEntry>>): CliCommand {
  return {
    define: (command) => {
      command
        .addArgument(
          new Argument('<shell>', 'shell to complete commands and options in').choices(Object.keys(SHELLS)),
        )
        .addHelpText(
          'after',
          examples(
            'completion bash >> ~/.bashrc',
            'completion zsh > ~/.zfunc/_agentserver',
            'completion fish > ~/.config/fish/completions/agentserver.fish',
          ),
        )
    },
    run: async ({ args: [shell = ''], terminal }) => {
      const script = SHELLS[shell]?.(await completedCommands(table))
      if (terminal.json) terminal.printValue(script)
      else if (script !== undefined) terminal.print(script)
      return EXIT.done
    },
  }
}

async function completedCommands(table: Readonly<Record<string, CommandEntry>>): Promise<Completed[]> {
  const entries = Object.entries(table)
  const commands = await Promise.all(
    entries.map(async ([name, { summary, alias, load }]) => {
      const command = new Command(name)
      const loaded = await load()
      loaded.define(command)
      const flags = command.options.flatMap(({ long }) => long ?? [])
      return [name, ...(alias === undefined ? [] : [alias])].map((word) => ({ name: word, summary, flags }))
    }),
  )
  return commands.flat()
}

/** What every command takes. */
const COMMON = '--config --cwd --url --key --token --json --no-color --help'
/** In single quotes of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function bash(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, flags }) => `    ${name}) words="$words ${flags.join(' ')}" ;;`)
  return `_agentserver() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="${COMMON}"
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -F _agentserver agentserver`
}

function zsh(commands: readonly Completed[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`)
  const cases = commands.map(({ name, flags }) => `    ${name}) flags+=(${flags.join(' ')}) ;;`)
  return `#compdef agentserver
_agentserver() {
  local -a commands flags
  commands=(
${described.join('\n')}
  )
  flags=(${COMMON})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "\${words[2]}" in
${cases.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then compadd -- $flags; else _files; fi
}
if [[ "\${funcstack[1]}" == _agentserver ]]; then _agentserver; else compdef _agentserver agentserver; fi`
}

function fish(commands: readonly Completed[]): string {
  const common = COMMON.split(' ').map((flag) => `complete -c agentserver -l ${flag.slice(2)}`)
  const lines = commands.flatMap(({ name, summary, flags }) => [
    `complete -c agentserver -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...flags.map(
      (flag) => `complete -c agentserver -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`,
    ),
  ])
  return [...common, ...lines].join('\n')
}
