/** Where this console and its API are, whatever prefix a proxy has put before them. */
export interface Addresses {
  /** Path of the console, ending with a slash, such as `/console/`. */
  readonly console: string
  /** Path of the API, ending with a slash, such as `/`. */
  readonly api: string
  readonly origin: string
}

/** The addresses of the console one of whose hashed scripts is at `script`, below `assets/`. */
export function addressesOf(script: string): Addresses {
  const { pathname, origin } = new URL('..', script)
  return { console: pathname, api: new URL('..', `${origin}${pathname}`).pathname, origin }
}
