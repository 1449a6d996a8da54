/** Environments and their configuration. */
import type { ToolContext } from '../context.ts';
import { answer, RlError } from './answer.ts';
import { editable, LOCKED, withEdit } from './config.ts';
import { scan } from './scan.ts';
import { changeState, chosenConfig } from './state.ts';

type Args = Record<string, unknown>;

export function listEnvironments(_args: Args, context: ToolContext): Promise<string> {
  return answer(context, async (place) => {
    const { environments, skipped } = await scan(place, context.signal);
    return {
      environments: environments.map(({ config: _config, ...facts }) => facts), count: environments.length, root: place.root, ...(skipped.length > 0 && { skipped }),
      tips: ['Read the file of an environment (read_file) to see its dataset, its prompt and how it verifies answers.', 'Choose one with rl_select_environment.'],
    };
  });
}

export function selectEnvironment({ name }: Args, context: ToolContext): Promise<string> {
  return answer(context, async (place) => {
    const { environments } = await scan(place, context.signal);
    const environment = environments.find((each) => each.name === name);
    if (environment === undefined) throw new RlError(`There is no environment '${typeof name === 'string' ? name.slice(0, 80) : ''}'. There are: ${environments.map((each) => each.name).join(', ') || 'none'}.`);
    const config = { environment, edits: {} };
    await changeState(context, (state) => ({ ...state, chosen: { ...state.chosen, [context.sessionId]: config } }));
    return { message: `Chosen: ${environment.name}. Test it with rl_test_inference before you train.`, environment: environment.name, file_path: environment.file_path, configurable_fields: editable(config) };
  });
}

export function getConfig(_args: Args, context: ToolContext): Promise<string> {
  return answer(context, async () => {
    const config = await chosenConfig(context);
    return { environment: config.environment.name, configurable_fields: editable(config), locked_fields: LOCKED };
  });
}

export function editConfig({ field, value }: Args, context: ToolContext): Promise<string> {
  return answer(context, async () => {
    if (typeof field !== 'string' || field === '') throw new RlError("rl_edit_config needs 'field'.");
    const config = withEdit(await chosenConfig(context), field, value);
    await changeState(context, (state) => ({ ...state, chosen: { ...state.chosen, [context.sessionId]: config } }));
    return { message: `${field} is now ${JSON.stringify(config.edits[field])}.`, field, value: config.edits[field], environment: config.environment.name };
  });
}
