export interface KeyBinding {
  /** One key (`j`, `/`, `Enter`, `Y`), a sequence of two (`g e`), or one with Ctrl or Cmd (`mod+k`, `mod+Enter`). */
  readonly keys: string
  readonly label: string
  /** Heading in the list of shortcuts. */
  readonly group: string
  /** Active also in text fields, as `mod+…` bindings always are. */
  readonly whileTyping?: boolean
  readonly run: () => void
}

const SEQUENCE_MS = 1000

/** The active shortcuts. Of two with the same keys the last one added wins: a screen overrides the shell. */
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

  /** The bindings in effect. */
  list(): readonly KeyBinding[] {
    return [...new Map([...this.#bindings].map((binding) => [binding.keys, binding])).values()]
  }

  #onKeyDown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.altKey || event.isComposing) return
    // an open dialog, menu or list of options has its own keys
    if (isModalOpen() || isInPopup(event.target)) return
    const mod = event.ctrlKey || event.metaKey
    const name = (mod ? 'mod+' : '') + event.key
    const binding = this.#find(name, event)
    this.#previous = mod ? undefined : { key: event.key, at: event.timeStamp }
    if (!binding) return
    this.#previous = undefined
    event.preventDefault()
    binding.run()
  }

  #find(name: string, { key, target, timeStamp }: KeyboardEvent): KeyBinding | undefined {
    const typing = isTyping(target, key) && !name.startsWith('mod+')
    const previous =
      this.#previous && timeStamp - this.#previous.at < SEQUENCE_MS ? this.#previous.key : undefined
    const active = this.list().filter((binding) => !typing || binding.whileTyping === true)
    const pair = active.find(({ keys }) => previous !== undefined && keys === `${previous} ${name}`)
    if (pair) return pair
    // Enter and Space activate the focused control
    if ((name === 'Enter' || name === ' ') && isControl(target)) return undefined
    return active.find(({ keys }) => keys === (name === ' ' ? 'Space' : name))
  }
}

function isTyping(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false
  // letters and digits typed at a select choose an option
  if (target.matches('button[role="combobox"]')) return /^[\p{L}\p{N} ]$/u.test(key)
  // the target of an editor in a shadow root is its host element
  return target.isContentEditable || target.matches('input, textarea, [data-editor]')
}

/** Menus and lists of options are rendered outside the application, at the end of the page. */
function isInPopup(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('[data-base-ui-portal]') !== null
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('a, button, summary, [role="tab"]') !== null
}

/** Whether a dialog is open that keeps the focus and the keys to itself. */
export function isModalOpen(): boolean {
  return document.querySelector('[data-modal], dialog[open]') !== null
}
