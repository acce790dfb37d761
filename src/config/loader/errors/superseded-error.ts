/** The load was aborted: a newer change arrived while one of its modules was waiting. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError'

  constructor() {
    super('The load was superseded by a newer change while a top-level await was pending')
  }
}
