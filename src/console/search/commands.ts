/** The commands of the shown screen, those that open pages, and all others. */
export type CommandGroup = 'This page' | 'Pages' | 'Actions'

export interface Command {
  readonly name: string
  /** Other words that find it. */
  readonly alias?: string | undefined
  readonly group: CommandGroup
  readonly run: () => void
}

export type CommandSource = () => readonly Command[]

/** The commands that the search offers. */
export class Commands {
  readonly #sources = new Set<CommandSource>()

  add(source: CommandSource): () => void {
    this.#sources.add(source)
    return () => this.#sources.delete(source)
  }

  list(): readonly Command[] {
    return [...this.#sources].flatMap((source) => source())
  }
}
