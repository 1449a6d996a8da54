import { expect, test } from 'vitest';
import { yoloIn } from '../../../../renderer/features/approvals/yolo.ts';
import { approvalRequest } from './fixtures.ts';

const { sessionId } = approvalRequest('first');

test('questions are off in the named chats only, or in all when the run was started so', () => {
  expect(yoloIn({ process: false, sessions: [sessionId] }, sessionId)).toBe('chat');
  expect(yoloIn({ process: false, sessions: [] }, sessionId)).toBe('off');
  expect(yoloIn({ process: false, sessions: [sessionId] }, undefined)).toBe('off');
  expect(yoloIn({ process: true, sessions: [sessionId] }, sessionId)).toBe('process');
});
