/** Paths of this console and its API, including the prefix of a proxy. */
export interface Addresses {
  /** Path of the console, ending with a slash, such as `/console/`. */
  readonly console: string
  /** Path of the API, ending with a slash, such as `/`. */
  readonly api: string
  readonly origin: string
  /** File name of the entry script, which differs with each build. */
  readonly script: string
}

/** The addresses, from the URL of one of the console's scripts below `assets/`. */
export function addressesOf(script: string): Addresses {
  const { pathname, origin } = new URL('..', script)
  const name = new URL(script).pathname.split('/').at(-1) ?? ''
  return { console: pathname, api: new URL('..', `${origin}${pathname}`).pathname, origin, script: name }
}
