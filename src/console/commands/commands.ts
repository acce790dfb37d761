export interface Command {
  readonly name: string
  /** Category, shown beside the name. */
  readonly hint?: string
  /** The server has found it by its contents: name and hint need not have the text. */
  readonly isFound?: true
  readonly run: () => void
}

/** Returns the commands for the typed text. */
export type CommandSource = (text: string) => readonly Command[] | Promise<readonly Command[]>

/** The commands of the command palette. */
export class Commands {
  readonly #sources = new Set<CommandSource>()

  add(source: CommandSource): () => void {
    this.#sources.add(source)
    return () => this.#sources.delete(source)
  }

  /** The matching commands, source by source. A source that fails is ignored. */
  async find(text: string): Promise<readonly Command[]> {
    const found = await Promise.allSettled([...this.#sources].map(async (source) => source(text)))
    return found
      .flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      .filter((command) => command.isFound ?? matches(command, text))
  }
}

function matches({ name, hint = '' }: Command, text: string): boolean {
  const where = `${name} ${hint}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word))
}
