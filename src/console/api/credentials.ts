import { Listeners } from '../services/listeners.ts'

/** The two secrets a browser may hold: the console key reads, a user token acts. */
export type CredentialKind = 'key' | 'token'

export interface CredentialRequest {
  readonly kind: CredentialKind
  /** What was given before was refused. */
  readonly refused: boolean
  submit(value: string | undefined): void
}

const NAMES: Readonly<Record<CredentialKind, string>> = {
  key: 'agentserver.console-key',
  token: 'agentserver.token',
}

/**
 * Holds the secrets in sessionStorage, and asks for one when the server wants it: however many requests
 * were refused at once, there is one question, and all of them get its answer.
 */
export class Credentials {
  /** The development bypass: found out by trying, never stored. */
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

  /** Lets go of everything; what is asked for next asks again. */
  clear(): void {
    for (const name of Object.values(NAMES)) sessionStorage.removeItem(name)
    this.bypass = false
    this.#listeners.notify()
  }

  /** The question that is open now. */
  readonly request = (): CredentialRequest | undefined => this.#request

  readonly subscribe = this.#listeners.add

  /** Asks the person. Fulfils with whether there is something new to try. */
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

  /** What requests carry. A key does not open user routes nor a token console routes, so both may go. */
  headers(): Record<string, string> {
    const key = this.get('key')
    const token = this.get('token')
    return {
      ...(key !== undefined && { 'x-console-access-key': key }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(this.bypass && { 'x-service-dev': 'true' }),
    }
  }
}
