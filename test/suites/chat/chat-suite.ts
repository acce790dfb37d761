import { afterEach, describe } from 'vitest'
import type { OpenPage } from '../../support/chat/chat-page.ts'
import { TalkStarter } from '../../support/chat/talk.ts'
import { answerTests } from './answer-tests.ts'
import { approvalTests } from './approval-tests.ts'
import { clientToolTests } from './client-tool-tests.ts'
import { guardrailTests } from './guardrail-tests.ts'
import { resumeTests } from './resume-tests.ts'

/** The cases that `useChat` of the AI SDK must pass, unchanged, wherever its page is. */
export function chatSuite(place: string, openPage: () => OpenPage): void {
  describe(`useChat in ${place}`, () => {
    const starter = new TalkStarter(openPage)
    afterEach(() => starter.end())
    answerTests(starter.start)
    approvalTests(starter.start)
    clientToolTests(starter.start)
    guardrailTests(starter.start)
    resumeTests(starter.start)
  })
}
