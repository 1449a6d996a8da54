import { expect, test } from 'vitest';
import { looseQuestions } from '../../../../renderer/features/chat/loose-questions.tsx';
import type { Chat } from '../../../../renderer/features/chat/model.ts';

test('a question stands at its call, and above the composer when its call is in no message here', () => {
  const question = (callId: string): Chat['questions'][number] => ({ callId, sessionId: 's', question: callId, choices: [], createdAt: 1 }) as unknown as Chat['questions'][number]; // the fields that count here
  const messages = new Map([['m', { calls: [{ id: 'call_here' }] }]]) as unknown as Chat['messages'];
  expect(looseQuestions({ questions: [question('call_here'), question('call_elsewhere')], messages }).map(({ callId }) => callId)).toEqual(['call_elsewhere']);
  expect(looseQuestions({ questions: [], messages })).toEqual([]);
});
