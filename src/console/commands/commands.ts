export interface Command {
  readonly name: string
  /** Said beside the name: what it belongs to. */
  readonly hint?: string
  readonly run: () => void
}

/** Finds commands for what was typed; several requests may be under way, the newest wins. */
export type CommandSource = (text: string) => readonly Command[] | Promise<readonly Command[]>

/** What the command palette offers. */
export class Commands {
  readonly #sources = new Set<CommandSource>()

  add(source: CommandSource): () => void {
    this.#sources.add(source)
    return () => this.#sources.delete(source)
  }

  /** What fits the text, source by source. */
  async find(text: string): Promise<readonly Command[]> {
    const found = await Promise.allSettled([...this.#sources].map(async (source) => source(text)))
    return found
      .flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      .filter((command) => fits(command, text))
  }
}

function fits({ name, hint = '' }: Command, text: string): boolean {
  const where = `${name} ${hint}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word))
}
