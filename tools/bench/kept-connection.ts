import http from 'node:http'

/** A client with one keep-alive connection. Counts its failures. */
export class KeptConnection {
  /** Opened connections: one if the server closed none. */
  opened = 0
  requests = 0
  /** Requests without a response, or with a status other than 200. */
  failed = 0
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** The body of the response; empty if there was none. */
  async get(): Promise<string> {
    this.requests++
    try {
      const { status, text } = await this.#request()
      if (status !== 200) this.failed++
      return text
    } catch {
      // failures are counted
      this.failed++
      return ''
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #request(): Promise<{ status: number | undefined; text: string }> {
    return new Promise((resolve, reject) => {
      const request = http.get(this.#url, { agent: this.#agent }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => (text += part))
        response.on('end', () => resolve({ status: response.statusCode, text }))
        response.on('error', reject)
      })
      request.on('socket', () => {
        if (!request.reusedSocket) this.opened++
      })
      request.on('error', reject)
    })
  }
}
