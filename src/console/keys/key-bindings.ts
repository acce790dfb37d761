export interface KeyBinding {
  /** One key (`j`, `/`, `Enter`, `Y`), two in a row (`g e`), or with Ctrl or Cmd (`mod+k`, `mod+Enter`). */
  readonly keys: string
  readonly label: string
  /** Where the sheet of shortcuts lists it. */
  readonly group: string
  /** Also while text is being typed; so for `mod+…` bindings anyhow. */
  readonly whileTyping?: boolean
  readonly run: () => void
}

const SEQUENCE_MS = 1000

/** All shortcuts. Of two with the same keys, the one that came last counts: a screen's go before the shell's. */
export class KeyBindings {
  readonly #bindings = new Set<KeyBinding>()
  #previous: { readonly key: string; readonly at: number } | undefined

  start(): void {
    document.addEventListener('keydown', (event) => this.#onKeyDown(event))
  }

  add(bindings: readonly KeyBinding[]): () => void {
    for (const binding of bindings) this.#bindings.add(binding)
    return () => {
      for (const binding of bindings) this.#bindings.delete(binding)
    }
  }

  /** Those that count now. */
  list(): readonly KeyBinding[] {
    return [...new Map([...this.#bindings].map((binding) => [binding.keys, binding])).values()]
  }

  #onKeyDown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.altKey || event.isComposing) return
    // what is open on top has keys of its own
    if (document.querySelector('dialog[open]')) return
    const mod = event.ctrlKey || event.metaKey
    const name = (mod ? 'mod+' : '') + event.key
    const binding = this.#find(name, event)
    this.#previous = mod ? undefined : { key: event.key, at: event.timeStamp }
    if (!binding) return
    this.#previous = undefined
    event.preventDefault()
    binding.run()
  }

  #find(name: string, { target, timeStamp }: KeyboardEvent): KeyBinding | undefined {
    const typing = isTyping(target) && !name.startsWith('mod+')
    const before =
      this.#previous && timeStamp - this.#previous.at < SEQUENCE_MS ? this.#previous.key : undefined
    const fits = this.list().filter((binding) => !typing || binding.whileTyping === true)
    const pair = fits.find(({ keys }) => before !== undefined && keys === `${before} ${name}`)
    if (pair) return pair
    // Enter and Space belong to what has the focus
    if ((name === 'Enter' || name === ' ') && isControl(target)) return undefined
    return fits.find(({ keys }) => keys === (name === ' ' ? 'Space' : name))
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  // an editor in a shadow root looks from outside like its host
  return target.isContentEditable || target.matches('input, textarea, select, [data-editor]')
}

function isControl(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('a, button, summary, [role="tab"], [role="menuitem"]') !== null
  )
}
