/** The four `ha_*` tools, in the result fields of hermes-runtime 7.8. */
import { type ToolContext } from '../context.ts';
import { toolError, toolResult } from '../result.ts';
import { type Home, HomeAssistantError, ask, homeAssistant } from './connection.ts';
import { needsPerson } from './services.ts';

const ENTITY_PATTERN = /^[a-z_][a-z0-9_]*\.[a-z0-9_]+$/;
const NAME_PATTERN = /^[a-z][a-z0-9_]*$/;
/** Domains whose services run commands or code on the machine of Home Assistant. */
const BLOCKED_DOMAINS: ReadonlySet<string> = new Set(['shell_command', 'command_line', 'python_script', 'pyscript', 'hassio', 'rest_command']);

type Arguments = Record<string, unknown>;
interface State { readonly entity_id: string; readonly state: string; readonly attributes?: Readonly<Record<string, unknown>>; readonly last_changed?: string; readonly last_updated?: string }

export function listEntities({ domain, area }: Arguments, context: ToolContext): Promise<string> {
  return answer(context, async (home) => {
    const kind = domain === undefined || domain === '' ? undefined : name(domain, 'domain');
    const [states, placed] = await Promise.all([
      ask(home, '/api/states', context.signal),
      typeof area === 'string' && area.trim() !== '' ? inArea(home, area, context.signal) : undefined,
    ]);
    const entities = readStates(states).filter(({ entity_id: id }) => (kind === undefined || id.startsWith(`${kind}.`)) && (placed === undefined || placed.has(id)))
      .map(({ entity_id, state, attributes }) => ({ entity_id, state, friendly_name: attributes?.['friendly_name'] ?? '' }));
    return { count: entities.length, entities };
  });
}

export function getState({ entity_id: id }: Arguments, context: ToolContext): Promise<string> {
  return answer(context, async (home) => {
    const [state] = readStates([await ask(home, `/api/states/${entity(id)}`, context.signal)]);
    if (state === undefined) throw new HomeAssistantError('Home Assistant answered without a state. Check the entity with ha_list_entities.');
    const { entity_id, state: value, attributes, last_changed, last_updated } = state;
    return { entity_id, state: value, attributes: attributes ?? {}, last_changed, last_updated };
  });
}

export function listServices({ domain }: Arguments, context: ToolContext): Promise<string> {
  return answer(context, async (home) => {
    const kind = domain === undefined || domain === '' ? undefined : name(domain, 'domain');
    const rows = await ask(home, '/api/services', context.signal);
    if (!Array.isArray(rows)) throw new HomeAssistantError('Home Assistant gave no list of services.');
    const domains = rows.filter((row): row is { domain: string; services: Record<string, unknown> } => isRecord(row) && typeof row['domain'] === 'string' && isRecord(row['services']))
      .filter((row) => kind === undefined || row.domain === kind)
      .map((row) => ({ domain: row.domain, services: Object.fromEntries(Object.entries(row.services).map(([service, facts]) => [service, describeService(facts)])) }));
    return { count: domains.length, domains };
  });
}

export function callService({ domain, service, entity_id: id, data }: Arguments, context: ToolContext): Promise<string> {
  return answer(context, async (home) => {
    // The patterns come before the list of blocked domains, so that no odd spelling slips by it.
    const called = { domain: name(domain, 'domain'), service: name(service, 'service') };
    if (BLOCKED_DOMAINS.has(called.domain)) {
      throw new HomeAssistantError(`Blocked: services of '${called.domain}' run code on the machine of Home Assistant. There is no way around this; ask the person to do it there.`);
    }
    const body = { ...fields(data), ...(id !== undefined && id !== '' && { entity_id: entity(id) }) };
    const reason = needsPerson(called, context.services.config.get('homeassistant.ask_services'));
    if (reason !== undefined) await askPerson(context, `ha_call_service ${called.domain}.${called.service} ${JSON.stringify(body)}`, reason);
    const changed = await ask(home, `/api/services/${called.domain}/${called.service}`, context.signal, body);
    const affected = readStates(changed).map(({ entity_id, state }) => ({ entity_id, state }));
    return { success: true, service: `${called.domain}.${called.service}`, affected_entities: affected };
  });
}

async function askPerson({ services, cwd, sessionId, taskId, toolCallId, signal, emit }: ToolContext, command: string, description: string): Promise<void> {
  const { approved, message } = await services.approvals.review({
    tool: 'ha_call_service', command, cwd, sessionId, taskId, toolCallId, signal, requirePerson: { description },
    onWaiting: (approvalId, waiting) => { emit({ kind: 'approval', approvalId, state: waiting ? 'waiting' : 'settled' }); },
  });
  if (!approved) throw new HomeAssistantError(message ?? 'The person did not allow this. Do not try it by another road.');
}

async function answer(context: ToolContext, action: (home: Home) => Promise<unknown>): Promise<string> {
  const { config, redact } = context.services;
  const home = homeAssistant(config.get, config.env);
  if ('error' in home) return toolError(`${home.error} ${home.fix}`);
  try {
    return toolResult({ result: await action(home) });
  } catch (error) {
    if (!(error instanceof HomeAssistantError)) throw error;
    return toolError(redact(error.message.replaceAll(home.token, '[token]')));
  }
}

async function inArea(home: Home, area: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { entitiesInArea } = await import('./areas.ts');
  return entitiesInArea(home, area, signal);
}

function entity(id: unknown): string {
  if (typeof id === 'string' && ENTITY_PATTERN.test(id)) return id;
  throw new HomeAssistantError(`'${shown(id)}' is no entity id: it has the form domain.name in lower case, such as light.kitchen. Look it up with ha_list_entities.`);
}

function name(value: unknown, field: 'domain' | 'service'): string {
  if (typeof value === 'string' && NAME_PATTERN.test(value)) return value;
  throw new HomeAssistantError(`'${shown(value)}' is no ${field}: lower-case letters, digits and _ only, such as ${field === 'domain' ? 'light' : 'turn_on'}.`);
}

function shown(value: unknown): string {
  if (value === undefined) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 80);
}

/** `data` is JSON in text by the schema; models also send the object itself. */
function fields(data: unknown): Readonly<Record<string, unknown>> {
  if (data === undefined || data === null || data === '') return {};
  const wrong = "'data' must be a JSON object in text, such as '{\"brightness_pct\": 40}'";
  let value: unknown = data;
  if (typeof data === 'string') {
    try {
      value = JSON.parse(data);
    } catch (error) {
      throw new HomeAssistantError(`${wrong}. It cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
    }
  }
  if (!isRecord(value)) throw new HomeAssistantError(`${wrong}.`);
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readStates(value: unknown): readonly State[] {
  // Services that return data answer {changed_states, service_response}.
  const rows = isRecord(value) && Array.isArray(value['changed_states']) ? value['changed_states'] : value;
  if (!Array.isArray(rows)) throw new HomeAssistantError('Home Assistant answered in a form that is not known here. Check that HASS_URL leads to Home Assistant itself.');
  return rows.filter((row): row is State => isRecord(row) && typeof row['entity_id'] === 'string' && typeof row['state'] === 'string');
}

function describeService(facts: unknown): { description: string; fields: Record<string, string> } {
  const known = isRecord(facts) ? facts : {};
  const described = Object.entries(isRecord(known['fields']) ? known['fields'] : {}).map(([field, about]) => [field, isRecord(about) && typeof about['description'] === 'string' ? about['description'] : '']);
  return { description: typeof known['description'] === 'string' ? known['description'] : '', fields: Object.fromEntries(described) as Record<string, string> }; // cast: pairs of text made one line above
}
