/** The reviewing model of smart mode: `auxiliary.approval`, else the chat's own model, asked for one word. */
import type { Judge } from '../approvals/smart.ts';
import type { ModelService } from '../../tools/shared/model-service.ts';

export function createJudge(models: Pick<ModelService, 'ask'>): Judge {
  return async ({ system, user, maxTokens, temperature }, signal) => (await models.ask({ purpose: 'approval', system, user, maxTokens, temperature }, signal)).text;
}
