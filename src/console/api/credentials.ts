import { Listeners } from '../services/listeners.ts'

/** The two secrets that users enter: the console key to read, a user token to act. */
export type CredentialKind = 'key' | 'token'

export interface CredentialRequest {
  readonly kind: CredentialKind
  /** The previous value was not accepted. */
  readonly refused: boolean
  submit(value: string | undefined): void
}

const NAMES: Readonly<Record<CredentialKind, string>> = {
  key: 'agentserver.console-key',
  token: 'agentserver.token',
}

/**
 * The token of the project, which the link that `agentserver dev` prints has in its fragment. All tabs need it, and the
 * next run of `agentserver dev` makes it useless: it is kept in localStorage.
 */
const PROJECT_TOKEN = 'agentserver.project-token'

/**
 * The secrets, kept in sessionStorage, and the prompt for them. Requests that need a credential at the same time
 * share one prompt.
 */
export class Credentials {
  /** Whether the development bypass works: found by trying it, never stored. */
  bypass = false
  readonly #listeners = new Listeners()
  #request: CredentialRequest | undefined
  #prompting: Promise<boolean> | undefined

  get(kind: CredentialKind): string | undefined {
    return sessionStorage.getItem(NAMES[kind]) ?? undefined
  }

  set(kind: CredentialKind, value: string | undefined): void {
    if (value === undefined || value === '') sessionStorage.removeItem(NAMES[kind])
    else sessionStorage.setItem(NAMES[kind], value)
    this.#listeners.notify()
  }

  /** Takes the token of the project out of the address of the page, before anything else reads it. */
  takeProjectToken(): void {
    const { pathname, search, hash } = location
    const token = new URLSearchParams(hash.slice(1)).get('token')
    if (token === null) return
    localStorage.setItem(PROJECT_TOKEN, token)
    history.replaceState(history.state, '', pathname + search)
  }

  /** Removes all credentials; the next request that needs one prompts again. */
  clear(): void {
    for (const name of Object.values(NAMES)) sessionStorage.removeItem(name)
    localStorage.removeItem(PROJECT_TOKEN)
    this.bypass = false
    this.#listeners.notify()
  }

  /** The open prompt. */
  readonly request = (): CredentialRequest | undefined => this.#request

  readonly subscribe = this.#listeners.add

  /** Prompts the user. Resolves with whether a new value was entered. */
  prompt(kind: CredentialKind): Promise<boolean> {
    this.#prompting ??= new Promise<boolean>((resolve) => {
      this.#request = {
        kind,
        refused: this.get(kind) !== undefined,
        submit: (value) => {
          this.#request = undefined
          this.#prompting = undefined
          if (value !== undefined) this.set(kind, value)
          this.#listeners.notify()
          resolve(value !== undefined)
        },
      }
      this.#listeners.notify()
    })
    return this.#prompting
  }

  /** Headers for requests. Each route uses only the credential of its class, so both can be sent. */
  headers(): Record<string, string> {
    const key = this.get('key')
    const token = this.get('token')
    const projectToken = localStorage.getItem(PROJECT_TOKEN)
    return {
      ...(key !== undefined && { 'x-console-access-key': key }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(projectToken !== null && { 'x-project-token': projectToken }),
      ...(this.bypass && { 'x-service-dev': 'true' }),
    }
  }
}
