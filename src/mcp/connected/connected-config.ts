import { hostName, isLoopback } from '../../lib/host-name.ts'

interface AnsweredRequests {
  /** Whether the server may request completions from the model of the agent that calls its tool. Default: `false`. */
  readonly sampling?: boolean
  /** The `file://` URIs that the server may ask for, as its roots. Default: none, and roots are not declared. */
  readonly roots?: readonly string[]
}

interface HttpServerConfig extends AnsweredRequests {
  /** Prefix of the tool names: a letter, then letters, digits, "_" and "-", at most 32 characters. */
  readonly id: string
  /** The URL of its Streamable HTTP endpoint. */
  readonly url: string
  /** Headers sent with every request, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The user of this machine logs in at the authorization server that the MCP server names (MCP authorization, OAuth
   * 2.1). Default: no login; `headers` can have a fixed token.
   */
  readonly auth?: 'oauth'
  /** With `auth`: id of a public client that is registered with the authorization server. Default: dynamic registration. */
  readonly clientId?: string
  /** With `auth`: the scopes to request. Default: those that the MCP server names. */
  readonly scopes?: readonly string[]
}

interface StdioServerConfig extends AnsweredRequests {
  /** Prefix of the tool names: a letter, then letters, digits, "_" and "-", at most 32 characters. */
  readonly id: string
  /** A program that speaks MCP over its standard input and output. It runs in the project's directory. */
  readonly command: string
  /** Arguments of the command. */
  readonly args?: readonly string[]
  /** Environment variables in addition to the few inherited ones, such as `PATH` and `HOME`. */
  readonly env?: Readonly<Record<string, string>>
}

/** A server over Streamable HTTP (`url`) or a local program (`command`). */
export type ConnectedServerConfig = HttpServerConfig | StdioServerConfig

const CONNECTED_ID = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/

/** Problems of the declaration, as texts. */
export function connectedConfigProblems(config: object): string[] {
  const { id, url, headers, command, args, env, sampling, roots, auth, clientId, scopes, ...others } =
    config as Partial<Record<keyof HttpServerConfig | keyof StdioServerConfig, unknown>>
  const rules: readonly (readonly [boolean, string])[] = [
    [
      typeof id === 'string' && CONNECTED_ID.test(id),
      'the id must be a letter, then letters, digits, "_" and "-", at most 32 characters: it is the prefix of tool names',
    ],
    [(url === undefined) !== (command === undefined), 'either url or command is required'],
    [url === undefined || isHttpUrl(url), 'url must be an http(s) URL'],
    [headers === undefined || areStrings(headers), 'headers must be an object of strings'],
    [command === undefined || (typeof command === 'string' && command !== ''), 'command must be a string'],
    [args === undefined || (Array.isArray(args) && areStrings(args)), 'args must be an array of strings'],
    [env === undefined || areStrings(env), 'env must be an object of strings'],
    [sampling === undefined || typeof sampling === 'boolean', 'sampling must be true or false'],
    [
      roots === undefined || (Array.isArray(roots) && roots.every(isFileUri)),
      'roots must be an array of file:// URIs',
    ],
    [auth === undefined || auth === 'oauth', "auth must be 'oauth' or omitted"],
    [auth === undefined || isSafeUrl(url), 'auth needs a url with https, or with a loopback host'],
    [
      auth === undefined || !hasAuthorization(headers),
      'headers must not have Authorization beside auth, which sends it',
    ],
    [
      auth !== undefined || (clientId === undefined && scopes === undefined),
      "clientId and scopes need auth: 'oauth'",
    ],
    [
      clientId === undefined || (typeof clientId === 'string' && clientId !== ''),
      'clientId must be a string',
    ],
    [
      scopes === undefined || (Array.isArray(scopes) && scopes.length > 0 && scopes.every(isScope)),
      'scopes must be an array of scopes, each without spaces',
    ],
    ...Object.keys(others).map((key) => [false, `unknown option ${key}`] as const),
  ]
  return rules.filter(([kept]) => !kept).map(([, rule]) => rule)
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)
}

/** Tokens are not sent in the clear over a network. */
function isSafeUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || isLoopback(hostName(hostname))
}

function hasAuthorization(headers: unknown): boolean {
  if (typeof headers !== 'object' || headers === null) return false
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

/** A scope token of RFC 6749. */
function isScope(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value)
}

function areStrings(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every((entry) => typeof entry === 'string')
}

function isFileUri(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('file://') && URL.canParse(value)
}
