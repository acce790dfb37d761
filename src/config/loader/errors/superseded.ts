/** The load was given up: a newer change came while one of its modules was still waiting. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError'

  constructor() {
    super('The load was superseded by a newer change while a top-level await was pending')
  }
}
